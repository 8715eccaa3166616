package main

import (
	"slices"
	"testing"

	pb "cheatbot/arenapb"
)

// sit returns a bot of CHEATER at a table of three, with these cards and a TAKE on the discards.
func sit(cards ...byte) *cheater {
	bot := &cheater{}
	for _, event := range []*pb.Event{
		{Fact: &pb.Event_GameStarted{GameStarted: &pb.GameStarted{Entrants: []byte{0, 1, 2}}}},
		{Fact: &pb.Event_CheaterDealt{CheaterDealt: &pb.CheaterDealt{SeatCount: 3, Top: cardTake}}},
		{Fact: &pb.Event_CheaterHand{CheaterHand: &pb.CheaterHand{Cards: cards}}},
	} {
		bot.hear(event)
	}
	return bot
}

func TestItDiscardsWhatItsWordDoesNotNeed(t *testing.T) {
	hand := []byte{0, 1, 2, 2, 7, 13, 14, cardWild}
	want := []byte{7, 13, 14, cardWild, 0, 1, 2, 2}
	if got := leastUseful(hand, nearest(hand)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestItAttacksTheSeatThatShowedAMissingCard(t *testing.T) {
	bot := sit(0, 1, 2, 2, 3, 4, cardTake) // red, and R is missing
	bot.hear(&pb.Event{Fact: &pb.Event_CheaterHandShown{CheaterHandShown: &pb.CheaterHandShown{
		Seat: 2, Cards: []byte{5, 6, 7, 8, 9, 10, 11},
	}}})

	action := bot.act(&pb.CheaterAct{Playable: []byte{cardTake}, Targets: []byte{1, 2}})
	if action.GetTarget() != 2 || action.GetCard() != cardTake || action.WildAs != 0 {
		t.Errorf("got %v", action)
	}
	action = bot.pick(&pb.CheaterPick{Attack: pb.CheaterAttack_CHEATER_ATTACK_TAKE, Target: 2, Hand: bot.known[2], Most: 1})
	if action.GetCard() != 5 {
		t.Errorf("got %v", action)
	}
}

func TestItsHandFollowsTheFacts(t *testing.T) {
	bot := sit(0, 1, 2, 3, 4, 5, cardTake)
	for _, event := range []*pb.Event{
		{Fact: &pb.Event_CheaterAttacked{CheaterAttacked: &pb.CheaterAttacked{Target: 1, Card: number(cardTake)}}},
		{Fact: &pb.Event_CheaterTaken{CheaterTaken: &pb.CheaterTaken{Seat: 0, Target: 1, Card: 2}}},
	} {
		bot.hear(event)
	}
	if missing := missing(bot.hand, 0); len(missing) != 0 {
		t.Errorf("it lacks %v", missing)
	}
}
