package main

import (
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"
	"time"

	pb "cheatbot/arenapb"
)

const (
	longestText   = 200                   // bytes that a note or a cause may have
	tooEarlyPause = 10 * time.Millisecond // to be added after each call that came too early
)

// A player knows one game of a match from its facts, and answers its prompts.
type player interface {
	restore(snapshot *pb.SeatSnapshot)
	hear(event *pb.Event)
	answer(prompt *pb.Prompt) *pb.Decision // only its action is set
}

type seatKey struct{ match, entrant uint32 }

// A seat is this bot's part in one match.
type seat struct {
	seatKey
	sequence  uint64               // of the last message
	player    player               // nil before MatchStarted
	questions map[uint32]*question // prompts for which no decision of ours stands
	inBreak   bool
	isOver    bool
}

// A question is an open prompt.
type question struct {
	prompt  *pb.Prompt
	sent    *pb.Decision // the answer on its way; nil: to be answered
	attempt uint32       // how many answers were refused
	isLost  bool         // whether an answer was refused that this bot took for legal
}

func newSeat(key seatKey) *seat {
	return &seat{seatKey: key, questions: map[uint32]*question{}}
}

// hear processes a message. It fails if a message before it is missing.
func (s *seat) hear(message *pb.SeatMessage) error {
	if snapshot := message.Snapshot; snapshot != nil {
		s.restore(snapshot)
	} else if message.Sequence != s.sequence+1 {
		return fmt.Errorf("match %d: message %d came after message %d", s.match, message.Sequence, s.sequence)
	}
	s.sequence = message.Sequence
	for _, event := range message.Events {
		s.learn(event)
	}
	for _, answer := range message.Answers {
		s.settle(answer)
	}
	for _, prompt := range message.Prompts {
		s.ask(prompt)
	}
	for _, id := range message.Withdrawn {
		delete(s.questions, id)
	}
	return nil
}

func (s *seat) restore(snapshot *pb.SeatSnapshot) {
	clear(s.questions)
	for _, event := range snapshot.Events {
		s.learn(event)
	}
	if snapshot.Game != nil {
		s.player.restore(snapshot)
	}
	for _, prompt := range snapshot.Prompts {
		if !slices.Contains(snapshot.Answered, prompt.Id) {
			s.ask(prompt)
		}
	}
	for _, answer := range snapshot.Answers { // their action ids are used
		if question := s.questions[answer.PromptId]; question != nil {
			question.attempt = max(question.attempt, answer.ActionId-answer.PromptId*16+1)
		}
	}
}

func (s *seat) learn(event *pb.Event) {
	switch fact := event.Fact.(type) {
	case *pb.Event_MatchStarted:
		s.player = newPlayer(fact.MatchStarted.Terms, s.entrant)
		return
	case *pb.Event_GameEnded:
		clear(s.questions)
	case *pb.Event_IntermissionStarted:
		s.inBreak = true
	case *pb.Event_MatchEnded:
		s.isOver = true
	case *pb.Event_Fault:
		log.Printf("match %d: fault %v: prompt %d, %v", s.match, fact.Fault.Kind, fact.Fault.PromptId, fact.Fault.Reason)
	}
	if s.player != nil {
		s.player.hear(event)
	}
}

// ask notes a prompt. One that comes again has other times; an answer that is on its way stays valid.
func (s *seat) ask(prompt *pb.Prompt) {
	if known := s.questions[prompt.Id]; known != nil {
		known.prompt = prompt
	} else {
		s.questions[prompt.Id] = &question{prompt: prompt}
	}
}

// settle processes the result of a decision. Held answers stand too, until another prompt comes.
func (s *seat) settle(answer *pb.DecisionAnswer) {
	question := s.questions[answer.PromptId]
	if question == nil || question.sent == nil || question.sent.ActionId != answer.ActionId {
		return
	}
	if answer.Status != pb.DecisionStatus_DECISION_STATUS_REFUSED {
		delete(s.questions, answer.PromptId)
		return
	}
	question.sent = nil
	question.attempt++
	switch answer.Reason {
	case pb.ErrorReason_ERROR_REASON_TOO_EARLY, pb.ErrorReason_ERROR_REASON_ACTION_ID_CONFLICT:
	case pb.ErrorReason_ERROR_REASON_LATE, pb.ErrorReason_ERROR_REASON_UNKNOWN_PROMPT,
		pb.ErrorReason_ERROR_REASON_ALREADY_ANSWERED:
		delete(s.questions, answer.PromptId)
	default:
		log.Printf("match %d: prompt %d: the answer was refused: %v", s.match, answer.PromptId, answer.Reason)
		question.isLost = true
	}
}

// answerQuestions returns the questions that it has answered just now.
func (s *seat) answerQuestions(takesNoAnswer bool) []*question {
	var answered []*question
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		question := s.questions[id]
		if question.sent != nil {
			continue
		}
		decision := s.decide(question)
		if decision == nil || decision.GetNoAnswer() != nil && !takesNoAnswer || question.attempt > 15 {
			delete(s.questions, id)
			continue
		}
		decision.Match, decision.Entrant = s.match, s.entrant
		decision.PromptId, decision.ActionId = id, id*16+question.attempt
		question.sent = decision
		answered = append(answered, question)
	}
	return answered
}

// decide returns the answer to a question, or says that there is none.
func (s *seat) decide(question *question) (decision *pb.Decision) {
	if question.isLost {
		return noAnswer(pb.NoAnswerCause_NO_ANSWER_CAUSE_GAVE_UP, "the answer was refused")
	}
	defer func() {
		if cause := recover(); cause != nil {
			log.Printf("match %d: prompt %d: %v", s.match, question.prompt.Id, cause)
			decision = noAnswer(pb.NoAnswerCause_NO_ANSWER_CAUSE_CRASHED, fmt.Sprint(cause))
		}
	}()
	return s.player.answer(question.prompt)
}

func noAnswer(cause pb.NoAnswerCause, text string) *pb.Decision {
	text = strings.ToValidUTF8(text[:min(len(text), longestText)], "")
	return &pb.Decision{Action: &pb.Decision_NoAnswer{NoAnswer: &pb.NoAnswer{Cause: cause, Text: text}}}
}

// unanswered returns the decisions on their way whose instant has come.
func (s *seat) unanswered(serverStart time.Time) []*pb.Decision {
	var decisions []*pb.Decision
	for _, question := range s.questions {
		if question.sent != nil && question.wait(serverStart) <= 0 {
			decisions = append(decisions, question.sent)
		}
	}
	return decisions
}

// isWaitingFor tells whether a decision is still the answer to an open prompt.
func (s *seat) isWaitingFor(decision *pb.Decision) bool {
	question := s.questions[decision.PromptId]
	return question != nil && question.sent == decision
}

// wait returns how long a call has to wait. One that came too early waits a little longer each time.
func (q *question) wait(serverStart time.Time) time.Duration {
	isDecline := q.sent.GetCheat().GetKind() == pb.CheatActionKind_CHEAT_ACTION_KIND_DECLINE
	if q.prompt.EarliestUs == nil || isDecline {
		return 0
	}
	earliest := serverStart.Add(time.Duration(*q.prompt.EarliestUs) * time.Microsecond)
	return time.Until(earliest) + time.Duration(q.attempt)*tooEarlyPause
}

// newPlayer returns the strategy for the game of a match.
func newPlayer(terms *pb.MatchTerms, entrant uint32) player {
	if rules := terms.GetRuleset().GetCheat(); rules != nil {
		return &cheat{rules: rules, entrant: entrant}
	}
	return &cheater{entrant: entrant}
}
