package main

import (
	"context"
	"math"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	pb "cheatbot/arenapb"
)

const (
	goodbyeTime       = 2 * time.Second // for the server's farewell
	never       int64 = math.MaxInt64   // the instant at which nothing is due
)

// A line carries the frames of a session, on one stream after another.
type line struct {
	token  string
	client pb.PlayServiceClient
	search *search

	lock    sync.Mutex // for the fields below: frames, a timer and the signal come on goroutines of their own
	session session
	call    pb.PlayService_PlayClient
	timer   *time.Timer // for answers that have to wait
}

// run opens streams until ctx is done. It returns a failure if another stream would not help.
func (l *line) run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := l.stream(ctx)
		pause, final := l.search.next(err)
		if final != nil && ctx.Err() == nil {
			return final
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// stream runs one stream from its hello to its end, and returns why it ended.
func (l *line) stream(ctx context.Context) error {
	authorized := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+l.token)
	streaming, cancel := context.WithCancel(authorized)
	defer cancel()
	call, err := l.client.Play(streaming)
	if err != nil {
		return err
	}
	l.lock.Lock()
	l.call = call
	l.send(l.session.hello())
	l.lock.Unlock()
	defer context.AfterFunc(ctx, func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.send(&pb.PlayRequest{Notices: []*pb.BotNotice{{Notice: &pb.BotNotice_Goodbye{}}}})
		time.AfterFunc(goodbyeTime, cancel)
	})()
	for {
		frame, err := call.Recv()
		if err == nil {
			err = l.read(frame)
		}
		if err != nil {
			return err
		}
	}
}

func (l *line) read(frame *pb.PlayResponse) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	reply, next, err := l.session.read(frame)
	if err != nil {
		return err
	}
	l.search.end()
	l.send(reply)
	l.schedule(frame.NowUs, next)
	return nil
}

// schedule sends the answers that have to wait, when they are due.
func (l *line) schedule(now, next int64) {
	if l.timer != nil {
		l.timer.Stop()
	}
	if next == never {
		return
	}
	l.timer = time.AfterFunc(time.Duration(next-now)*time.Microsecond, func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		reply := &pb.PlayRequest{}
		after := l.session.answer(next, reply)
		l.send(reply)
		l.schedule(next, after)
	})
}

// send sends a frame. Why that fails is what Recv returns.
func (l *line) send(frame *pb.PlayRequest) {
	if len(frame.Decisions)+len(frame.Notices) > 0 {
		_ = l.call.Send(frame)
	}
}
