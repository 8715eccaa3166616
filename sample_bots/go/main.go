// This bot plays Cheat and CHEATER with generated messages and grpc-go alone.
//
// In Cheat it lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true
// (cheat.go). In CHEATER it collects its nearest word, and takes missing letters wherever it finds them (cheater.go).
// session.go and seat.go are the protocol; a bot of your own needs other answers, and no other protocol.
package main

//go:generate go run ./generate ../../proto cheatbot/arenapb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	pb "cheatbot/arenapb"
)

func main() {
	os.Exit(run())
}

// run returns the exit code of the program: 0 after SIGTERM or an interrupt, otherwise that of the failure.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	settings, err := settingsFromEnvironment(os.Getenv)
	if err == nil {
		s := session{settings: settings, seats: map[seatKey]*seat{}, due: make(chan *pb.Decision)}
		err = s.run(ctx)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	var final *failure
	if errors.As(err, &final) {
		return final.exitCode
	}
	return exitSoftware
}
