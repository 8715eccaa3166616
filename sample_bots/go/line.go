package main

import (
	"context"
	"errors"
	"log"
	"math"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	pb "cheatbot/arenapb"
)

const (
	goodbyeTime       = 2 * time.Second  // for the server's farewell
	welcomeTime       = 10 * time.Second // for the server's first frame
	silenceTime       = 25 * time.Second // after which a stream is lost, because the server sends a ping every 10 s
	mostUnread        = 1000             // frames that may wait while the bot thinks
	never       int64 = math.MaxInt64    // the instant at which nothing is due
)

var errSilent = errors.New("the server is silent")

// A line carries the frames of a session, on one stream after another.
type line struct {
	token  string
	client pb.PlayServiceClient
	search *search
	stop   context.CancelFunc // ends run with a goodbye

	lock    sync.Mutex // for the fields below: frames, a timer and the signal come on goroutines of their own
	session session
	call    pb.PlayService_PlayClient
	cancel  context.CancelFunc // ends the stream
	timer   *time.Timer        // for answers that have to wait

	sending sync.Mutex // pongs are sent while the bot thinks
}

// An arrival is a frame, or the end of the stream.
type arrival struct {
	frame *pb.PlayResponse
	err   error
}

// run opens streams until ctx is done. It returns a failure if another stream would not help.
func (l *line) run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := l.stream(ctx)
		pause, final := l.search.next(err)
		if ctx.Err() == nil && l.isReplaced(final) {
			continue
		}
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
	l.call, l.cancel = call, cancel
	l.send(l.session.hello())
	l.lock.Unlock()
	defer context.AfterFunc(ctx, func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.send(&pb.PlayRequest{Notices: []*pb.BotNotice{{Notice: &pb.BotNotice_Goodbye{}}}})
		time.AfterFunc(goodbyeTime, cancel)
	})()
	arrivals := make(chan arrival, mostUnread)
	go l.receive(streaming, call, arrivals)
	for silence := time.NewTimer(welcomeTime); ; {
		select {
		case next := <-arrivals:
			if next.err == nil {
				next.err = l.read(next.frame)
			}
			if next.err != nil {
				return next.err
			}
			silence.Reset(silenceTime)
		case <-streaming.Done():
			return streaming.Err()
		case <-silence.C:
			if len(arrivals) == 0 {
				return errSilent
			}
			silence.Reset(silenceTime) // the bot has thought for so long
		}
	}
}

// receive reads frames until the stream ends. It answers pings at once, although the bot may think.
func (l *line) receive(streaming context.Context, call pb.PlayService_PlayClient, arrivals chan<- arrival) {
	for {
		frame, err := call.Recv()
		for _, notice := range frame.GetNotices() {
			if ping := notice.GetPing(); ping != nil {
				pong := &pb.BotNotice_Pong{Pong: &pb.Pong{Nonce: ping.Nonce}}
				l.sendOn(call, &pb.PlayRequest{Notices: []*pb.BotNotice{{Notice: pong}}})
			}
		}
		select {
		case arrivals <- arrival{frame, err}:
		case <-streaming.Done():
		}
		if err != nil {
			return
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
	if l.session.isDone() {
		l.stop()
	}
	return nil
}

// finish begins a stream that takes no new seats. It returns false if there is no match to finish.
func (l *line) finish() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	left := l.session.finish()
	if left > 0 {
		log.Printf("no new seats: this bot ends after its matches, of which %d are left; Ctrl-C again ends it now", left)
		l.cancel()
	}
	return left > 0
}

// isReplaced tells whether another program took over a name that nobody chose. The bot then has a random one.
func (l *line) isReplaced(final error) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	own := (*failure)(nil)
	if !errors.As(final, &own) || own.exitCode != exitReplaced || !l.session.instance.giveWay() {
		return false
	}
	log.Printf("another program of this bot took over its seats: this one plays on as instance %s", l.session.instance.name)
	return true
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

// send sends a frame on the newest stream.
func (l *line) send(frame *pb.PlayRequest) { l.sendOn(l.call, frame) }

// sendOn sends a frame. Why that fails is what Recv returns.
func (l *line) sendOn(call pb.PlayService_PlayClient, frame *pb.PlayRequest) {
	if len(frame.Decisions)+len(frame.Notices) > 0 {
		l.sending.Lock()
		defer l.sending.Unlock()
		_ = call.Send(frame)
	}
}
