package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "cheatbot/arenapb"
)

const (
	protocolVersion = 1
	capacity        = 1000            // seats at the same time
	frameDecisions  = 200             // of at most 4 KiB each, so that a frame stays below 1 MiB
	goodbyeTime     = 2 * time.Second // for the server's farewell
	longestPause    = 2 * time.Second // between two attempts to connect
)

// alive notices a line that has gone silent.
var alive = keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}

// A session holds all seats of this process, on one stream after the other.
type session struct {
	settings      settings
	seats         map[seatKey]*seat
	call          pb.PlayService_PlayClient
	isWelcome     bool // whether the server has greeted on this stream
	takesNoAnswer bool
	node          string
	serverStart   time.Time         // instant 0 of the server's clock, on this machine's clock
	due           chan *pb.Decision // decisions that had to wait for their instant
}

// run plays until ctx is done. It returns a failure if the bot cannot go on.
func (s *session) run(ctx context.Context) error {
	lost, pause := time.Now(), time.Duration(0)
	for {
		opened := time.Now()
		err := s.stream(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if final := findFailure(err, s.settings.address, s.node != ""); final != nil {
			return final
		}
		if s.isWelcome {
			lost = time.Now()
		}
		if time.Since(lost) >= s.settings.patience {
			why := status.Convert(err).Message()
			return fail(exitUnavailable, "no server at %s for %v (%s)", s.settings.address, s.settings.patience, why)
		}
		if s.isWelcome && time.Since(opened) > longestPause/4 {
			pause = 0
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause+100*time.Millisecond, longestPause)
	}
}

// stream runs one stream from its hello to its end, and returns why it ended.
func (s *session) stream(ctx context.Context) error {
	s.isWelcome = false
	connection, err := grpc.NewClient(s.settings.address,
		grpc.WithTransportCredentials(s.settings.security), grpc.WithKeepaliveParams(alive))
	if err != nil {
		return fail(exitUsage, "the address %s cannot be used: %v", s.settings.address, err)
	}
	defer connection.Close()
	authorized := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+s.settings.token)
	streaming, cancel := context.WithCancel(authorized)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(goodbyeTime, cancel) })()
	if s.call, err = pb.NewPlayServiceClient(connection).Play(streaming); err != nil {
		return err
	}
	s.notify(&pb.BotNotice{Notice: &pb.BotNotice_Hello{Hello: s.hello()}})

	frames, ended := make(chan *pb.PlayResponse), make(chan error, 1)
	go func() {
		for {
			frame, err := s.call.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case frames <- frame:
			case <-streaming.Done():
				return
			}
		}
	}()
	stopped := ctx.Done()
	for {
		select {
		case frame := <-frames:
			if err := s.read(frame); err != nil {
				return err
			}
		case decision := <-s.due:
			seat := s.seats[seatKey{decision.Match, decision.Entrant}]
			if s.isWelcome && seat != nil && seat.isWaitingFor(decision) {
				s.send(&pb.PlayRequest{Decisions: []*pb.Decision{decision}})
			}
		case <-stopped:
			stopped = nil
			s.notify(&pb.BotNotice{Notice: &pb.BotNotice_Goodbye{Goodbye: &pb.Goodbye{}}})
		case err := <-ended:
			return err
		}
	}
}

// hello begins a stream. Every seat without a position gets a snapshot, so most bots need no positions.
func (s *session) hello() *pb.Hello {
	if !s.settings.resumesExactly {
		clear(s.seats)
	}
	games := []*pb.GameSupport{{Game: "cheat"}, {Game: "cheater"}}
	hello := &pb.Hello{
		ProtocolVersion: protocolVersion, Instance: s.settings.instance, Games: games, Capacity: capacity, Node: s.node,
	}
	for key, seat := range s.seats {
		position := &pb.Position{Match: key.match, Entrant: key.entrant, Sequence: seat.sequence}
		hello.Positions = append(hello.Positions, position)
	}
	return hello
}

// read reads a whole frame, and then answers all of it.
func (s *session) read(frame *pb.PlayResponse) error {
	reply := &pb.PlayRequest{}
	start := time.Now().Add(-time.Duration(frame.NowUs) * time.Microsecond)
	if !s.isWelcome || start.Before(s.serverStart) {
		s.serverStart = start
	}
	if !s.isWelcome && len(frame.Notices) > 0 {
		if err := s.greet(frame.Notices[0].GetWelcome(), reply); err != nil {
			return err
		}
	}
	heard := map[*seat]bool{}
	for _, message := range frame.Messages {
		if message.Sequence == 0 {
			continue // it refuses a decision for a seat that is no longer ours
		}
		key := seatKey{message.Match, message.Entrant}
		if s.seats[key] == nil {
			s.seats[key] = newSeat(key)
		}
		if err := s.seats[key].hear(message); err != nil {
			delete(s.seats, key) // so that the next stream begins with its snapshot
			return err
		}
		heard[s.seats[key]] = true
	}
	for seat := range heard {
		for _, question := range seat.answerQuestions(s.takesNoAnswer) {
			if wait := question.wait(s.serverStart); wait > 0 {
				time.AfterFunc(wait, func() { s.due <- question.sent })
			} else {
				reply.Decisions = append(reply.Decisions, question.sent)
			}
		}
		if seat.inBreak {
			ready := &pb.Ready{Match: seat.match, Entrant: seat.entrant}
			reply.Notices = append(reply.Notices, &pb.BotNotice{Notice: &pb.BotNotice_Ready{Ready: ready}})
			seat.inBreak = false
		}
		if seat.isOver {
			delete(s.seats, seat.seatKey)
		}
	}
	for _, notice := range frame.Notices {
		if offered := notice.GetOffered(); offered != nil {
			accepted := &pb.OfferAnswer{OfferId: offered.OfferId, Accept: true}
			reply.Notices = append(reply.Notices, &pb.BotNotice{Notice: &pb.BotNotice_OfferAnswer{OfferAnswer: accepted}})
		} else if ping := notice.GetPing(); ping != nil {
			pong := &pb.Pong{Nonce: ping.Nonce}
			reply.Notices = append(reply.Notices, &pb.BotNotice{Notice: &pb.BotNotice_Pong{Pong: pong}})
		}
	}
	s.send(reply)
	return nil
}

// greet begins a stream that the server has accepted. Answers may have been lost with the last one: they go again.
func (s *session) greet(welcome *pb.Welcome, reply *pb.PlayRequest) error {
	if welcome.GetProtocolVersion() != protocolVersion {
		return fail(exitRefused, "%s speaks version %d of the protocol, and this bot version %d",
			s.settings.address, welcome.GetProtocolVersion(), protocolVersion)
	}
	if welcome.GetNode() != s.node {
		clear(s.seats) // the server was restarted
	}
	s.isWelcome, s.node, s.takesNoAnswer = true, welcome.GetNode(), welcome.GetTakesNoAnswer()
	for _, seat := range s.seats {
		reply.Decisions = append(reply.Decisions, seat.unanswered(s.serverStart)...)
	}
	return nil
}

func (s *session) notify(notice *pb.BotNotice) {
	s.send(&pb.PlayRequest{Notices: []*pb.BotNotice{notice}})
}

// send writes a request, in several frames if it is large. Why a write fails is what Recv returns.
func (s *session) send(request *pb.PlayRequest) {
	for len(request.Decisions) > frameDecisions {
		_ = s.call.Send(&pb.PlayRequest{Decisions: request.Decisions[:frameDecisions]})
		request.Decisions = request.Decisions[frameDecisions:]
	}
	if len(request.Decisions)+len(request.Notices) > 0 {
		_ = s.call.Send(request)
	}
}
