package main

import (
	"slices"
	"testing"

	pb "cheatbot/arenapb"
)

const me, rival, third = 0, 1, 2

// deal returns a bot of the preset standard at a table of three, with these cards.
func deal(cards ...byte) *cheat {
	bot := &cheat{rules: &pb.CheatRuleset{Decks: 1, JokersPerDeck: 2}}
	bot.begin([]byte{me, rival, third})
	bot.hear(&pb.Event{Fact: &pb.Event_CheatHand{CheatHand: &pb.CheatHand{Cards: &pb.CheatCards{Cards: cards}}}})
	return bot
}

func (c *cheat) hearClaim(seat, rank, count uint32) {
	c.hear(&pb.Event{Fact: &pb.Event_CheatPlayed{CheatPlayed: &pb.CheatPlayed{Seat: seat, Rank: rank, Count: count}}})
}

func TestItLaysAsManyTrueCardsAsItCan(t *testing.T) {
	bot := deal(0, 1, 8, 9, 10, joker)
	tests := []struct {
		name  string
		turn  *pb.CheatTurn
		cards []byte
		rank  uint32
	}{
		{"most cards, joker last", &pb.CheatTurn{Ranks: []byte{0, 2}, Counts: []uint32{1, 6}}, []byte{8, 9, 10, joker}, 2},
		{"a legal number", &pb.CheatTurn{Ranks: []byte{0, 2}, Counts: []uint32{1, 2}}, []byte{0, 1}, 0},
		{"no joker alone face up", &pb.CheatTurn{Ranks: []byte{0, 5}, Counts: []uint32{1, 1}, FaceUp: true}, []byte{0}, 0},
		{"smallest lie, of a single card", &pb.CheatTurn{Ranks: []byte{7}, Counts: []uint32{2, 6}}, []byte{0, 1}, 7},
	}
	for _, test := range tests {
		action := bot.move(test.turn)
		if !slices.Equal(action.Cards, test.cards) || action.Rank != test.rank || action.Count != uint32(len(test.cards)) {
			t.Errorf("%s: got %v", test.name, action)
		}
	}
}

func TestItPassesRatherThanLies(t *testing.T) {
	action := deal(0).move(&pb.CheatTurn{Ranks: []byte{7}, Counts: []uint32{1, 6}, CanPass: true})
	if action.Kind != pb.CheatActionKind_CHEAT_ACTION_KIND_PASS {
		t.Errorf("got %v", action)
	}
}

func TestItCallsOnlyWhatCannotBeTrue(t *testing.T) {
	bot := deal(20, 21, 22, joker)
	for number, isImpossible := range []bool{false, false, false, true, true} { // one five and one joker are elsewhere
		bot.hearClaim(rival, 5, uint32(number))
		if bot.isImpossible() != isImpossible {
			t.Errorf("a claim of %d: got %v", number, bot.isImpossible())
		}
	}
}

func TestItRemembersCardsThatACallHasShown(t *testing.T) {
	bot := deal(20)
	shown := &pb.CheatCards{Cards: []byte{21, 22, 23}}
	bot.hearClaim(rival, 9, 3)
	bot.hear(&pb.Event{Fact: &pb.Event_CheatCalled{CheatCalled: &pb.CheatCalled{
		Caller: third, Accused: rival, Right: true, Taker: rival, Shown: shown,
	}}})

	bot.hearClaim(third, 5, 3)
	if !bot.isImpossible() {
		t.Error("three fives of another seat, although two jokers are all that fits")
	}
	bot.hearClaim(rival, 5, 3)
	if bot.isImpossible() {
		t.Error("three fives of the seat that has taken them")
	}
}

func TestItReadsBothFormsOfCards(t *testing.T) {
	cards := countCards(&pb.CheatCards{Counted: []uint32{3, 40, joker, 20}})
	if cards[3] != 40 || cards[joker] != 20 || cards.total() != 60 {
		t.Errorf("got %v", cards)
	}
}
