package main

import (
	"log"
	"maps"

	pb "cheatbot/arenapb"
)

const (
	protocolVersion = 1
	capacity        = 1000 // seats at the same time; the answers of all fit into one frame
)

// A session holds all seats of this process. It reads frames and answers them; line.go carries them.
type session struct {
	settings      settings
	instance      instance
	seats         map[seatKey]*seat
	accepted      map[uint32]seatKey // by offer, until the match begins
	watch         watch
	node          string // names the server's process, which is another one after a restart
	takesNoAnswer bool
	isFinishing   bool // whether the bot takes no new seats, and ends with its last match
	isCaughtUp    bool // whether the server has named all seats on this stream
}

func newSession(settings settings) session {
	return session{settings: settings, instance: settings.instance, seats: map[seatKey]*seat{}, accepted: map[uint32]seatKey{}}
}

// hello begins a stream. A seat with a position gets the messages that it has missed, and any other seat gets a
// snapshot. So most bots need no positions.
func (s *session) hello() *pb.PlayRequest {
	hello := &pb.Hello{
		ProtocolVersion: protocolVersion, Node: s.node,
		Instance: s.instance.name, IsInstanceDerived: s.instance.isDerived,
		Games: []*pb.GameSupport{{Game: "cheat"}, {Game: "cheater"}}, Capacity: capacity,
		Pools: s.settings.pools, Version: s.settings.version, Challenges: s.settings.challenges,
	}
	if s.isFinishing {
		hello.Pools, hello.Challenges = nil, pb.ChallengePolicy_CHALLENGE_POLICY_NOBODY
		hello.Capacity = uint32(max(1, len(s.seats)+len(s.accepted)))
	}
	if !s.settings.resumesExactly {
		clear(s.seats)
	}
	s.watch, s.isCaughtUp = newWatch(), false
	for key, seat := range s.seats {
		seat.resume()
		hello.Positions = append(hello.Positions, &pb.Position{Match: key.match, Entrant: key.entrant, Sequence: seat.sequence})
	}
	return &pb.PlayRequest{Notices: []*pb.BotNotice{{Notice: &pb.BotNotice_Hello{Hello: hello}}}}
}

// read reads a whole frame, and then answers all of it. It returns the instant at which more answers are due.
func (s *session) read(frame *pb.PlayResponse) (reply *pb.PlayRequest, next int64, err error) {
	for _, message := range frame.Messages {
		if message.Sequence == 0 {
			continue // it refuses a decision for a seat that is no longer ours
		}
		key := seatKey{message.Match, message.Entrant}
		maps.DeleteFunc(s.accepted, func(_ uint32, begun seatKey) bool { return begun == key })
		if s.seats[key] == nil {
			s.seats[key] = &seat{seatKey: key, questions: map[uint32]*question{}, sent: map[uint32]int64{}}
		}
		if err := s.seats[key].hear(message, frame.NowUs); err != nil {
			return nil, 0, err
		}
	}
	if err := s.watch.hear(frame.NowUs, s.oldest()); err != nil {
		return nil, 0, err
	}
	reply = &pb.PlayRequest{}
	for _, notice := range frame.Notices {
		switch notice := notice.Notice.(type) {
		case *pb.ServerNotice_Welcome:
			if version := notice.Welcome.ProtocolVersion; version != protocolVersion {
				return nil, 0, otherVersion(version)
			}
			if notice.Welcome.Node != s.node {
				clear(s.seats)
				clear(s.accepted)
			}
			s.node, s.takesNoAnswer = notice.Welcome.Node, notice.Welcome.TakesNoAnswer
			if s.instance.settle(notice.Welcome.Instance) {
				log.Printf("another program of this bot runs here, so this one is its instance %s", s.instance.name)
			}
		case *pb.ServerNotice_OfferClosed:
			delete(s.accepted, notice.OfferClosed.OfferId)
		case *pb.ServerNotice_Offered:
			if !s.isFinishing {
				s.accepted[notice.Offered.OfferId] = seatKey{notice.Offered.Match, notice.Offered.Entrant}
			}
			answer := &pb.OfferAnswer{OfferId: notice.Offered.OfferId, Accept: !s.isFinishing}
			reply.Notices = append(reply.Notices, &pb.BotNotice{Notice: &pb.BotNotice_OfferAnswer{OfferAnswer: answer}})
		case *pb.ServerNotice_PoolNotice:
			log.Print(describePool(notice.PoolNotice))
		case *pb.ServerNotice_Resumed:
			s.isCaughtUp = true
		}
	}
	return reply, s.answer(frame.NowUs, reply), nil
}

// answer adds to a reply all that is due now. It returns the instant at which more is due.
func (s *session) answer(now int64, reply *pb.PlayRequest) (next int64) {
	next = never
	for key, seat := range s.seats {
		next = min(next, seat.answer(now, s.takesNoAnswer, reply))
		if seat.isOver {
			delete(s.seats, key)
		}
	}
	sent := s.watch.now()
	for _, seat := range s.seats {
		seat.stamp(sent)
	}
	return next
}

// finish lets the session take no new seats, from the next hello on. It returns how many matches are left, or 0 if the
// bot is in no pool or was told before.
func (s *session) finish() int {
	if s.isFinishing || len(s.settings.pools) == 0 {
		return 0
	}
	left := len(s.seats) + len(s.accepted)
	s.isFinishing = left > 0
	return left
}

// isDone tells whether a session that finishes has no seat left.
func (s *session) isDone() bool {
	return s.isFinishing && s.isCaughtUp && len(s.seats)+len(s.accepted) == 0
}

// oldest returns when the oldest decision was sent that has no answer yet.
func (s *session) oldest() int64 {
	oldest := never
	for _, seat := range s.seats {
		oldest = min(oldest, seat.oldest())
	}
	return oldest
}
