package main

import (
	"bytes"
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "cheatbot/arenapb"
)

// A card is colour*6 + letter, with the letters C H E A T R, or one of these.
const (
	cardTake = 24 + iota
	cardShow
	cardHide
	cardBust
	cardWild

	colors      = 4
	letterKinds = 6 // letters of a colour
	handSize    = 7
)

// copies says how often a card is in a pack.
var copies = slices.Concat(slices.Repeat([]int{2, 2, 4, 2, 2, 2}, colors), []int{4, 4, 4, 1, 1})

// cheater plays CHEATER: it collects the nearest word, takes missing letters where it knows or suspects them, and hides
// its hand whenever it can.
type cheater struct {
	entrant  uint32
	seat     uint32
	hand     []byte
	known    [][]byte // by seat: the cards that everybody knows to be in its hand
	sizes    []int    // by seat: how many cards it holds
	discards []byte   // the top card last
}

func (c *cheater) restore(snapshot *pb.SeatSnapshot) {
	game := snapshot.GetCheater()
	c.hand, c.known, c.discards = game.Hand, game.Known, game.Discards
	for seat, size := range game.HandSizes {
		c.sizes[seat] = int(size)
	}
}

func (c *cheater) hear(event *pb.Event) {
	switch fact := event.Fact.(type) {
	case *pb.Event_GameStarted:
		entrants := fact.GameStarted.Entrants
		c.seat = uint32(slices.Index(entrants, byte(c.entrant)))
		c.hand, c.discards, c.known = nil, nil, make([][]byte, len(entrants))
		c.sizes = slices.Repeat([]int{handSize}, len(entrants))
	case *pb.Event_CheaterDealt:
		c.discards = []byte{byte(fact.CheaterDealt.Top)}
	case *pb.Event_CheaterHand:
		c.hand = slices.Clone(fact.CheaterHand.Cards)
	case *pb.Event_CheaterDrew:
		c.sizes[fact.CheaterDrew.Seat] += int(fact.CheaterDrew.Count)
	case *pb.Event_CheaterDrawn:
		c.hand = append(c.hand, fact.CheaterDrawn.Cards...)
	case *pb.Event_CheaterTookTop:
		c.discards = c.discards[:len(c.discards)-1]
		c.gain(fact.CheaterTookTop.Seat, fact.CheaterTookTop.Card)
	case *pb.Event_CheaterDiscarded:
		c.lay(fact.CheaterDiscarded.Seat, fact.CheaterDiscarded.Cards...)
	case *pb.Event_CheaterAttacked:
		if attacked := fact.CheaterAttacked; attacked.Card != nil {
			c.lay(attacked.Seat, byte(*attacked.Card))
		}
	case *pb.Event_CheaterHidden:
		c.lay(fact.CheaterHidden.Seat, byte(fact.CheaterHidden.Card))
	case *pb.Event_CheaterHandShown:
		c.known[fact.CheaterHandShown.Seat] = slices.Clone(fact.CheaterHandShown.Cards)
	case *pb.Event_CheaterTaken:
		c.lose(fact.CheaterTaken.Target, byte(fact.CheaterTaken.Card))
		c.gain(fact.CheaterTaken.Seat, fact.CheaterTaken.Card)
	case *pb.Event_CheaterBusted:
		c.lay(fact.CheaterBusted.Target, fact.CheaterBusted.Cards...)
	case *pb.Event_CheaterReshuffled:
		c.discards = c.discards[len(c.discards)-1:]
	case *pb.Event_CheaterLeft:
		c.known[fact.CheaterLeft.Seat], c.sizes[fact.CheaterLeft.Seat] = nil, 0
	}
}

// lay moves cards of a seat onto the discards.
func (c *cheater) lay(seat uint32, cards ...byte) {
	c.lose(seat, cards...)
	c.discards = append(c.discards, cards...)
}

// lose takes cards out of a hand, before everybody's eyes.
func (c *cheater) lose(seat uint32, cards ...byte) {
	if seat == c.seat {
		c.hand = without(c.hand, cards)
	}
	c.known[seat] = without(c.known[seat], cards)
	c.sizes[seat] -= len(cards)
}

// gain puts a card into a hand, before everybody's eyes.
func (c *cheater) gain(seat, card uint32) {
	if seat == c.seat {
		c.hand = append(c.hand, byte(card))
	}
	c.known[seat] = append(c.known[seat], byte(card))
	c.sizes[seat]++
}

func (c *cheater) answer(prompt *pb.Prompt) *pb.Decision {
	var action *pb.CheaterAction
	switch options := prompt.Options.(type) {
	case *pb.Prompt_CheaterAct:
		action = c.act(options.CheaterAct)
	case *pb.Prompt_CheaterDiscard:
		least := leastUseful(c.hand, c.target())[:options.CheaterDiscard.Count]
		action = &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_DISCARD, Cards: least}
	case *pb.Prompt_CheaterReaction:
		action = &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_ALLOW}
		if hiding := options.CheaterReaction.Hiding; len(hiding) > 0 { // a HIDE comes before a WILD
			action.Kind, action.Card = pb.CheaterActionKind_CHEATER_ACTION_KIND_HIDE, number(hiding[0])
		}
	case *pb.Prompt_CheaterPick:
		action = c.pick(options.CheaterPick)
	default:
		return nil
	}
	return &pb.Decision{Action: &pb.Decision_Cheater{Cheater: action}}
}

// act takes the top discard if it is missing, or else attacks the seat that most likely has a missing card.
func (c *cheater) act(options *pb.CheaterAct) *pb.CheaterAction {
	missing := missing(c.hand, c.target())
	top := c.discards[len(c.discards)-1:]
	if slices.Contains(options.Powers, 2) && len(top) > 0 && slices.Contains(missing, top[0]) {
		return &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_TAKE_TOP}
	}
	best := slices.MaxFunc(options.Targets, func(a, b byte) int {
		return cmp.Compare(c.chance(a, missing), c.chance(b, missing))
	})
	action := &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_PLAY, Target: number(best)}
	switch {
	case slices.Contains(options.Playable, cardTake):
		action.Card = number(cardTake)
	case slices.Contains(options.Playable, cardWild):
		action.Card, action.WildAs = number(cardWild), pb.CheaterAttack_CHEATER_ATTACK_TAKE
	case slices.Contains(options.Powers, 3):
		action.Kind = pb.CheaterActionKind_CHEATER_ACTION_KIND_DEMAND
	default:
		return &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_DRAW}
	}
	return action
}

// target returns the colour with the fewest missing cards; it prefers one that needs no card of the discards.
func (c *cheater) target() byte {
	best, bestScore := byte(0), -1
	for color := range byte(colors) {
		score := handSize - len(missing(c.hand, color))
		if c.isPossible(color) {
			score += handSize + 1
		}
		if score > bestScore {
			best, bestScore = color, score
		}
	}
	return best
}

// isPossible tells whether no missing card of a colour lies on the discards.
func (c *cheater) isPossible(color byte) bool {
	missing := missing(c.hand, color)
	for _, card := range missing {
		reachable := c.unseen(card)
		for seat, hand := range c.known {
			if uint32(seat) != c.seat {
				reachable += count(hand, card)
			}
		}
		if count(missing, card) > reachable {
			return false
		}
	}
	return true
}

// unseen counts the copies of a card that this bot cannot locate.
func (c *cheater) unseen(card byte) int {
	left := copies[card]
	if len(c.known) > 4 {
		left *= 2 // two packs
	}
	left -= count(c.hand, card) + count(c.discards, card)
	for seat, hand := range c.known {
		if uint32(seat) != c.seat {
			left -= count(hand, card)
		}
	}
	return left
}

// chance tells how likely a seat has a missing card: 2 is certain.
func (c *cheater) chance(seat byte, missing []byte) float64 {
	known := c.known[seat]
	unseen := 0
	for _, card := range slices.Compact(slices.Clone(missing)) {
		if slices.Contains(known, card) {
			return 2
		}
		unseen += c.unseen(card)
	}
	return float64((c.sizes[seat]-len(known))*unseen) / 100
}

// pick takes what helps, or else what hurts: a letter of the word to which the shown hand is nearest.
func (c *cheater) pick(options *pb.CheaterPick) *pb.CheaterAction {
	harmful := letters(options.Hand, nearest(options.Hand))
	if options.Attack == pb.CheaterAttack_CHEATER_ATTACK_BUST {
		cards := harmful[:min(len(harmful), int(options.Most))]
		return &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_BUST, Cards: cards}
	}
	target := c.target()
	missing := missing(c.hand, target)
	wanted := slices.DeleteFunc(slices.Clone(options.Hand), func(card byte) bool { return !slices.Contains(missing, card) })
	card := slices.Concat(wanted, harmful, options.Hand)[0]
	action := &pb.CheaterAction{Kind: pb.CheaterActionKind_CHEATER_ACTION_KIND_TAKE, Card: number(card)}
	if options.Attack == pb.CheaterAttack_CHEATER_ATTACK_DEMAND {
		action.Discard = number(leastUseful(append(slices.Clone(c.hand), card), target)[0])
	}
	return action
}

// word lists the seven cards that win in a colour.
func word(color byte) []byte {
	first := color * letterKinds
	return []byte{first, first + 1, first + 2, first + 2, first + 3, first + 4, first + 5}
}

// missing lists the cards that a hand lacks for the word in a colour.
func missing(hand []byte, color byte) []byte {
	return without(word(color), hand)
}

// letters lists the cards of a hand that the word in a colour needs.
func letters(hand []byte, color byte) []byte {
	return without(word(color), missing(hand, color))
}

// nearest returns the colour with the fewest missing cards.
func nearest(hand []byte) byte {
	all := []byte{0, 1, 2, 3}
	return slices.MinFunc(all, func(a, b byte) int { return cmp.Compare(len(missing(hand, a)), len(missing(hand, b))) })
}

// leastUseful sorts a hand: letters that the word in a colour does not need, then action cards, then its letters.
func leastUseful(hand []byte, color byte) []byte {
	needed := letters(hand, color)
	spare := without(hand, needed)
	use := func(card byte) int {
		if card >= cardTake {
			return handSize + 1
		}
		return len(letters(hand, card/letterKinds))
	}
	slices.SortFunc(spare, func(a, b byte) int { return cmp.Or(cmp.Compare(use(a), use(b)), cmp.Compare(a, b)) })
	return append(spare, needed...)
}

// without returns cards less others; a card that is not there is ignored.
func without(cards, others []byte) []byte {
	left := slices.Clone(cards)
	for _, card := range others {
		if i := slices.Index(left, card); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}

func count(cards []byte, card byte) int {
	return bytes.Count(cards, []byte{card})
}

func number(value byte) *uint32 {
	return proto.Uint32(uint32(value))
}
