// This bot plays Cheat and CHEATER with generated messages and grpc-go alone.
//
// In Cheat it lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true
// (cheat.go). In CHEATER it collects its nearest word, and takes missing letters wherever it finds them (cheater.go).
// session.go and seat.go are the protocol, and line.go carries its frames. A bot of your own needs only other answers.
package main

//go:generate go run ./generate cheatbot/arenapb

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
	err := playMatches()
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

// playMatches plays what it is offered until a signal stops it.
func playMatches() error {
	settings, err := settingsFromEnvironment(os.Getenv)
	if err != nil {
		return err
	}
	connection, err := settings.connect()
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, stop := context.WithCancel(context.Background())
	l := line{token: settings.token, client: pb.NewPlayServiceClient(connection), search: newSearch(settings), stop: stop}
	l.session = newSession(settings)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for received := range signals {
			if received != os.Interrupt || !l.finish() {
				stop()
			}
		}
	}()
	return l.run(ctx)
}
