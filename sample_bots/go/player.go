package main

import (
	"fmt"
	"log"
	"strings"

	pb "cheatbot/arenapb"
)

const longestText = 200 // bytes that the cause of a missing answer may have

// A player knows one game of a match from its facts, and answers its prompts.
type player interface {
	restore(snapshot *pb.SeatSnapshot)
	hear(event *pb.Event)
	answer(prompt *pb.Prompt) *pb.Decision // only its action is set
}

// newPlayer returns the strategy for the game of a match.
func newPlayer(terms *pb.MatchTerms, entrant uint32) player {
	if rules := terms.GetRuleset().GetCheat(); rules != nil {
		return &cheat{rules: rules, entrant: entrant}
	}
	return &cheater{entrant: entrant}
}

// decide returns the player's answer. If there is none, it says so, so that nobody waits.
func decide(player player, question *question) (decision *pb.Decision) {
	if question.isRefused { // the player would say the same again
		return noAnswer(pb.NoAnswerCause_NO_ANSWER_CAUSE_GAVE_UP, "the answer was refused")
	}
	defer func() {
		if cause := recover(); cause != nil {
			log.Printf("prompt %v: %v", question.prompt, cause)
			decision = noAnswer(pb.NoAnswerCause_NO_ANSWER_CAUSE_CRASHED, fmt.Sprint(cause))
		}
	}()
	if decision = player.answer(question.prompt); decision == nil {
		decision = noAnswer(pb.NoAnswerCause_NO_ANSWER_CAUSE_EMPTY, "this bot does not know such a prompt")
	}
	return decision
}

func noAnswer(cause pb.NoAnswerCause, text string) *pb.Decision {
	text = strings.ToValidUTF8(text[:min(len(text), longestText)], "")
	return &pb.Decision{Action: &pb.Decision_NoAnswer{NoAnswer: &pb.NoAnswer{Cause: cause, Text: text}}}
}
