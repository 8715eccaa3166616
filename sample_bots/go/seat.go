package main

import (
	"fmt"
	"log"
	"math"

	pb "cheatbot/arenapb"
)

const isNow int64 = math.MinInt64 // the instant of a decision that is about to be sent

type seatKey struct{ match, entrant uint32 }

// A seat is this bot's part in one match. All instants are in microseconds, on the server's clock.
type seat struct {
	seatKey
	sequence  uint64 // of the last message
	player    player // nil before MatchStarted
	questions map[uint32]*question
	sent      map[uint32]int64 // when the decisions were sent that have no answer yet, by prompt; also after it has closed
	isOver    bool
	inBreak   bool
	isReady   bool // whether Ready was sent on this stream
}

// A question is an open prompt.
type question struct {
	prompt    *pb.Prompt
	actionID  uint32 // of the next answer, or of the one that was sent
	isSent    bool   // whether the answer was sent on this stream
	earliest  int64  // when it may be sent
	isRefused bool   // whether an answer broke a rule
}

// resume begins a new stream. What was sent on the last one may be lost, so it is sent again, under the same action ids.
func (s *seat) resume() {
	s.isReady = false
	clear(s.sent)
	for _, question := range s.questions {
		question.isSent = false
	}
}

// hear processes a message. It fails if a message before it is missing.
func (s *seat) hear(message *pb.SeatMessage, now int64) error {
	if snapshot := message.Snapshot; snapshot != nil {
		clear(s.questions)
		s.learn(snapshot.Events)
		if snapshot.Game != nil {
			s.player.restore(snapshot)
		}
		s.ask(snapshot.Prompts)
		s.settle(snapshot.Answers, now)
		for _, id := range snapshot.Answered {
			delete(s.questions, id)
		}
	} else if message.Sequence != s.sequence+1 {
		return fmt.Errorf("match %d: message %d came after message %d", s.match, message.Sequence, s.sequence)
	}
	s.sequence = message.Sequence
	s.learn(message.Events)
	s.settle(message.Answers, now)
	s.ask(message.Prompts)
	for _, id := range message.Withdrawn {
		delete(s.questions, id)
	}
	return nil
}

func (s *seat) learn(events []*pb.Event) {
	for _, event := range events {
		switch fact := event.Fact.(type) {
		case *pb.Event_MatchStarted:
			s.player = newPlayer(fact.MatchStarted.Terms, s.entrant)
		case *pb.Event_GameStarted:
			s.inBreak = false
		case *pb.Event_GameEnded:
			clear(s.questions)
		case *pb.Event_IntermissionStarted:
			s.inBreak, s.isReady = true, false
		case *pb.Event_MatchEnded:
			s.isOver = true
		case *pb.Event_Fault:
			log.Printf("match %d: fault %v: prompt %d, %v", s.match, fact.Fault.Kind, fact.Fault.PromptId, fact.Fault.Reason)
		}
		s.player.hear(event)
	}
}

// ask notes prompts. One that comes again has other times; an answer that was sent stays valid.
func (s *seat) ask(prompts []*pb.Prompt) {
	for _, prompt := range prompts {
		if s.questions[prompt.Id] == nil {
			s.questions[prompt.Id] = &question{actionID: prompt.Id * 16}
		}
		question := s.questions[prompt.Id]
		question.prompt, question.earliest = prompt, prompt.GetEarliestUs()
	}
}

// settle processes the results of decisions. After some refusals, another answer is welcome.
func (s *seat) settle(answers []*pb.DecisionAnswer, now int64) {
	for _, answer := range answers {
		delete(s.sent, answer.PromptId)
		question := s.questions[answer.PromptId]
		if question == nil || answer.ActionId < question.actionID {
			continue
		}
		question.actionID, question.isSent = answer.ActionId+1, false
		switch answer.Reason {
		case pb.ErrorReason_ERROR_REASON_UNSPECIFIED, // the decision counts, or is held
			pb.ErrorReason_ERROR_REASON_LATE, pb.ErrorReason_ERROR_REASON_UNKNOWN_PROMPT,
			pb.ErrorReason_ERROR_REASON_ALREADY_ANSWERED:
			delete(s.questions, answer.PromptId)
		case pb.ErrorReason_ERROR_REASON_TOO_EARLY: // the server has lost time: wait a little longer each time
			question.earliest = now + 5000*int64(question.actionID%16)
		case pb.ErrorReason_ERROR_REASON_ACTION_ID_CONFLICT:
		default:
			question.isRefused = true
		}
	}
}

// stamp notes when the answers that were added to the last reply are sent.
func (s *seat) stamp(now int64) {
	for id, sent := range s.sent {
		if sent == isNow {
			s.sent[id] = now
		}
	}
}

// oldest returns when the oldest decision was sent that has no answer yet.
func (s *seat) oldest() int64 {
	oldest := never
	for _, sent := range s.sent {
		oldest = min(oldest, sent)
	}
	return oldest
}

// answer adds to a reply what is due now. It returns the instant at which more is due.
func (s *seat) answer(now int64, takesNoAnswer bool, reply *pb.PlayRequest) (next int64) {
	next = never
	for id, question := range s.questions {
		if question.isSent {
			continue
		} else if question.earliest > now {
			next = min(next, question.earliest)
			continue
		}
		question.isSent = true
		decision := decide(s.player, question)
		if decision.GetNoAnswer() != nil && !takesNoAnswer {
			continue // an old server: it moves by itself at the deadline
		}
		decision.Match, decision.Entrant, decision.PromptId, decision.ActionId = s.match, s.entrant, id, question.actionID
		reply.Decisions = append(reply.Decisions, decision)
		s.sent[id] = isNow
	}
	if s.inBreak && !s.isReady {
		s.isReady = true
		ready := &pb.Ready{Match: s.match, Entrant: s.entrant}
		reply.Notices = append(reply.Notices, &pb.BotNotice{Notice: &pb.BotNotice_Ready{Ready: ready}})
	}
	return next
}
