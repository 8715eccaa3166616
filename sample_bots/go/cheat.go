package main

import (
	"cmp"
	"math"
	"slices"

	pb "cheatbot/arenapb"
)

const joker = 52 // a card is rank*4 + suit, or this

// counts says how often each of the 53 cards occurs.
type counts [joker + 1]uint32

// A claim is the last move that somebody may call.
type claim struct {
	seat, rank, count uint32
	isFalse           bool // everybody saw that not as many cards were laid as claimed
}

// cheat plays Cheat: it lays as many true cards as it can, or else passes, or tells the smallest lie. It calls only
// claims that cannot be true, because too many cards of the rank are elsewhere: in this bot's hand, or known from calls.
type cheat struct {
	rules   *pb.CheatRuleset
	entrant uint32
	seat    uint32
	seats   uint32
	hand    counts
	last    claim
	known   []counts // by seat: cards that are in its hand or that it laid on the pile; for this bot's seat, laid ones
	onPile  []bool   // by seat: whether cards of it lie on the pile
	gone    counts   // cards that are out of the game
	shown   struct{ accused, taker uint32 }
}

func (c *cheat) begin(entrants []byte) {
	*c = cheat{rules: c.rules, entrant: c.entrant, seats: uint32(len(entrants))}
	c.seat = uint32(slices.Index(entrants, byte(c.entrant)))
	c.known, c.onPile = make([]counts, c.seats), make([]bool, c.seats)
}

func (c *cheat) restore(snapshot *pb.SeatSnapshot) {
	game := snapshot.GetCheat()
	c.hand = countCards(game.Hand)
	for _, layer := range game.Pile {
		c.onPile[layer.Seat] = true
		c.known[layer.Seat].add(countCards(layer.OwnCards))
		if !layer.Abandoned {
			c.last = claim{layer.Seat, layer.Rank, layer.Count, layer.Laid != nil && *layer.Laid != layer.Count}
		}
	}
}

func (c *cheat) hear(event *pb.Event) {
	switch fact := event.Fact.(type) {
	case *pb.Event_GameStarted:
		c.begin(fact.GameStarted.Entrants)
	case *pb.Event_CheatHand:
		c.hand = countCards(fact.CheatHand.Cards)
	case *pb.Event_CheatLaid:
		cards := countCards(fact.CheatLaid.Cards)
		c.hand.remove(cards)
		c.known[c.seat].add(cards)
	case *pb.Event_CheatPlayed:
		played := fact.CheatPlayed
		c.last = claim{played.Seat, played.Rank, played.Count, played.Laid != nil && *played.Laid != played.Count}
		c.onPile[played.Seat] = c.onPile[played.Seat] || played.Count > 0
		if played.Seat != c.seat {
			c.known[played.Seat].raise(countCards(played.Cards))
		}
	case *pb.Event_CheatCalled:
		called := fact.CheatCalled
		c.takePile(called.Taker)
		c.see(called.Taker, called.Shown, called.Rest)
		c.shown.accused, c.shown.taker = called.Accused, called.Taker
	case *pb.Event_CheatShown:
		c.see(c.shown.taker, fact.CheatShown.Cards)
	case *pb.Event_CheatTaken:
		c.hand.add(countCards(fact.CheatTaken.Cards))
	case *pb.Event_CheatBelieved:
		if believed := fact.CheatBelieved; believed.Right {
			c.banishPile()
		} else {
			c.takePile(believed.Believer)
			c.see(believed.Believer, believed.Shown, believed.Rest)
		}
	case *pb.Event_CheatHandChecked:
		if checked := fact.CheatHandChecked; !checked.TrueClaim {
			c.takePile(checked.Seat)
		}
	case *pb.Event_CheatBanished:
		c.banishPile()
	case *pb.Event_CheatLeft:
		c.onPile[fact.CheatLeft.Seat] = true
	}
}

// takePile notes that a seat takes all cards of the pile. What a third seat laid may be in either hand now.
func (c *cheat) takePile(taker uint32) {
	mine := c.known[c.seat]
	c.known[c.seat] = counts{}
	for seat := range c.onPile {
		if c.onPile[seat] && uint32(seat) != taker {
			c.known[seat] = counts{}
		}
		c.onPile[seat] = false
	}
	if taker != c.seat {
		c.known[taker].add(mine)
	}
}

// see notes that cards were shown that a seat took.
func (c *cheat) see(taker uint32, shown ...*pb.CheatCards) {
	if taker == c.seat {
		return // they are in this bot's hand
	}
	for _, cards := range shown {
		c.known[taker].raise(countCards(cards))
	}
}

// banishPile notes that the cards of the pile are out of the game. What others laid may also be in their hands.
func (c *cheat) banishPile() {
	c.gone.add(c.known[c.seat])
	c.known[c.seat] = counts{}
	clear(c.onPile)
}

// isImpossible tells whether the last claim names more cards than there can be of its rank, jokers included.
func (c *cheat) isImpossible() bool {
	decks := c.rules.Decks
	if decks == 0 && c.seats <= 4 {
		decks = 1
	} else if decks == 0 {
		decks = 2
	}
	elsewhere := c.hand.fitting(c.last.rank) + c.gone.fitting(c.last.rank)
	for seat, cards := range c.known {
		if uint32(seat) != c.last.seat {
			elsewhere += cards.fitting(c.last.rank)
		}
	}
	return c.last.isFalse || c.last.count+elsewhere > (4+c.rules.JokersPerDeck)*decks
}

func (c *cheat) answer(prompt *pb.Prompt) *pb.Decision {
	action := &pb.CheatAction{}
	switch options := prompt.Options.(type) {
	case *pb.Prompt_CheatTurn:
		turn := options.CheatTurn
		if action.Kind = c.judge(turn.CanCall, turn.CanBelieve); action.Kind == pb.CheatActionKind_CHEAT_ACTION_KIND_DECLINE {
			action = c.move(turn)
		}
	case *pb.Prompt_CheatWindow:
		action.Kind = c.judge(true, options.CheatWindow.CanBelieve)
	case *pb.Prompt_CheatCut:
		action.Kind = pb.CheatActionKind_CHEAT_ACTION_KIND_CUT
		action.Sizes = cutEvenly(options.CheatCut.CardCount, options.CheatCut.PacketCount)
	case *pb.Prompt_CheatChoose:
		choose := options.CheatChoose
		action.Kind = pb.CheatActionKind_CHEAT_ACTION_KIND_CHOOSE
		thinnest := func(a, b byte) int { return cmp.Compare(choose.Sizes[a], choose.Sizes[b]) }
		action.Packet = uint32(slices.MinFunc(choose.Free, thinnest))
	default:
		return nil
	}
	return &pb.Decision{Action: &pb.Decision_Cheat{Cheat: action}}
}

// judge calls a claim that cannot be true, and believes one that cannot be false: that of no cards.
func (c *cheat) judge(canCall, canBelieve bool) pb.CheatActionKind {
	switch {
	case canCall && c.isImpossible():
		return pb.CheatActionKind_CHEAT_ACTION_KIND_CALL
	case canBelieve && c.last.count == 0:
		return pb.CheatActionKind_CHEAT_ACTION_KIND_BELIEVE
	default:
		return pb.CheatActionKind_CHEAT_ACTION_KIND_DECLINE
	}
}

func (c *cheat) move(turn *pb.CheatTurn) *pb.CheatAction {
	if action := c.largestTruth(turn); action != nil {
		return action
	}
	if turn.CanPass {
		return &pb.CheatAction{Kind: pb.CheatActionKind_CHEAT_ACTION_KIND_PASS}
	}
	return c.smallestLie(turn)
}

// largestTruth returns the true play of the most cards, with as few jokers as possible; nil if there is none.
func (c *cheat) largestTruth(turn *pb.CheatTurn) *pb.CheatAction {
	var best []byte
	var bestRank byte
	var bestNatural uint32
	for _, rank := range turn.Ranks {
		cards := c.hand.cardsOf(uint32(rank))
		natural := uint32(len(cards))
		if natural > 0 || !turn.FaceUp || c.hand[joker] == c.hand.total() {
			cards = append(cards, slices.Repeat([]byte{joker}, int(c.hand[joker]))...)
		}
		cards = cards[:largestCount(turn.Counts, uint32(len(cards)))]
		natural = min(natural, uint32(len(cards)))
		if len(cards) > len(best) || len(cards) == len(best) && natural > bestNatural {
			best, bestRank, bestNatural = cards, rank, natural
		}
	}
	if len(best) == 0 {
		return nil
	}
	return play(best, bestRank, uint32(len(best)))
}

// smallestLie claims the rank of which this bot holds most, since others cannot hold many of it. It lays single cards
// first, and jokers last.
func (c *cheat) smallestLie(turn *pb.CheatTurn) *pb.CheatAction {
	if len(turn.Counts) == 0 {
		return play(nil, turn.Ranks[0], 0)
	}
	rank := slices.MaxFunc(turn.Ranks, func(a, b byte) int {
		return cmp.Or(cmp.Compare(c.hand.natural(uint32(a)), c.hand.natural(uint32(b))), cmp.Compare(b, a))
	})
	count := turn.Counts[0]
	size := count
	if len(turn.Laid) == 2 {
		size = min(max(count, turn.Laid[0]), turn.Laid[1])
	}
	cards := c.hand.cards()
	usefulness := func(card byte) uint32 {
		switch {
		case card == joker:
			return math.MaxUint32
		case card/4 == rank:
			return math.MaxUint32 - 1
		default:
			return c.hand.natural(uint32(card / 4))
		}
	}
	slices.SortStableFunc(cards, func(a, b byte) int { return cmp.Compare(usefulness(a), usefulness(b)) })
	return play(cards[:size], rank, count)
}

func play(cards []byte, rank byte, count uint32) *pb.CheatAction {
	kind := pb.CheatActionKind_CHEAT_ACTION_KIND_PLAY
	return &pb.CheatAction{Kind: kind, Cards: cards, Rank: uint32(rank), Count: count}
}

// largestCount returns the largest number of the ranges (pairs of first and last) that is at most most; 0 if none is.
func largestCount(ranges []uint32, most uint32) uint32 {
	largest := uint32(0)
	for pair := range slices.Chunk(ranges, 2) {
		if pair[0] <= most {
			largest = max(largest, min(pair[1], most))
		}
	}
	return largest
}

func cutEvenly(cards, packets uint32) []uint32 {
	sizes := make([]uint32, packets)
	for i := range sizes {
		sizes[i] = cards / packets
		if uint32(i) < cards%packets {
			sizes[i]++
		}
	}
	return sizes
}

// countCards reads both forms of a set of cards.
func countCards(set *pb.CheatCards) (c counts) {
	for _, card := range set.GetCards() {
		c[card]++
	}
	for pair := range slices.Chunk(set.GetCounted(), 2) {
		c[pair[0]] += pair[1]
	}
	return c
}

func (c *counts) add(more counts) {
	for card := range c {
		c[card] += more[card]
	}
}

func (c *counts) remove(fewer counts) {
	for card := range c {
		c[card] -= fewer[card]
	}
}

// raise makes sure that there are at least as many as in least.
func (c *counts) raise(least counts) {
	for card := range c {
		c[card] = max(c[card], least[card])
	}
}

func (c *counts) total() (sum uint32) {
	for _, number := range c {
		sum += number
	}
	return sum
}

// fitting counts the cards that make a claim of a rank true.
func (c *counts) fitting(rank uint32) uint32 {
	return c.natural(rank) + c[joker]
}

// natural counts the cards of a rank.
func (c *counts) natural(rank uint32) (sum uint32) {
	for _, number := range c[rank*4 : rank*4+4] {
		sum += number
	}
	return sum
}

// cardsOf lists the natural cards of a rank.
func (c *counts) cardsOf(rank uint32) []byte {
	var cards []byte
	for card := rank * 4; card < rank*4+4; card++ {
		cards = append(cards, slices.Repeat([]byte{byte(card)}, int(c[card]))...)
	}
	return cards
}

// cards lists all cards, in ascending order.
func (c *counts) cards() []byte {
	var cards []byte
	for card, number := range c {
		cards = append(cards, slices.Repeat([]byte{byte(card)}, int(number))...)
	}
	return cards
}
