// The command generate writes Go code for all .proto files of the contract. `go generate` runs it. It needs no protoc:
// the compiler is a Go package, and the plugins are tools of this module. The contract is in the folder that
// CHEATARENA_PROTO names, as in the build of a submitted bot, or else in the repository of this sample.
//
//	go run ./generate GO_PACKAGE
package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	log.SetFlags(0)
	if err := generate(cmp.Or(os.Getenv("CHEATARENA_PROTO"), "../../proto"), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// generate compiles a folder, and writes what the plugins make of it. Comments are kept.
func generate(folder, goPackage string) error {
	names, err := protoFiles(folder)
	if err != nil {
		return err
	}
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{folder}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return err
	}
	module, _, _ := strings.Cut(goPackage, "/")
	options := []string{"module=" + module}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names}
	for _, name := range names {
		options = append(options, fmt.Sprintf("M%s=%s;%s", name, goPackage, path.Base(goPackage)))
	}
	// Plugins expect a file after the files that it imports.
	added := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if file := files.FindFileByPath(name); file != nil && !added[name] {
			added[name] = true
			for i := range file.Imports().Len() {
				add(file.Imports().Get(i).Path())
			}
			request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(file))
		}
	}
	for _, name := range names {
		add(name)
	}
	request.Parameter = proto.String(strings.Join(options, ","))
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := run(plugin, request); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

func protoFiles(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".proto" {
			name, _ := filepath.Rel(folder, file)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	return names, err
}

// run gives a plugin its request, and writes the files of its response.
func run(plugin string, request *pluginpb.CodeGeneratorRequest) error {
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.Command("go", "tool", plugin)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output, response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	for _, file := range response.File {
		if err := os.MkdirAll(filepath.Dir(file.GetName()), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file.GetName(), []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
