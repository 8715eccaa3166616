"""counter: remembers every card that it has seen, and compares the gain and the cost of each choice, both in cards.

The table knows where some cards are. The bot assumes that every other card is equally likely to be anywhere, as if
cards were drawn from an urn. During the match it learns how often each entrant lies. The environment variable CAUTION,
from 0 to 10, multiplies the expected cost of a wrong call; the default is 1.
"""

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, lgamma
from typing import Any

from cheatarena import Bot, Call, Card, Claim, Decline, Doubt, Hand, Move, Play, Rank, Table, TurnOptions, run
from cheatarena.cheat.facts import CheatCalled, CheatPlayed

CAUTION = float(os.environ.get("CAUTION", "1"))
if not 0 <= CAUTION <= 10:
    raise SystemExit(f"CAUTION is {CAUTION}: expected a number from 0 to 10")

# Values and costs are in cards, and were found by experiment.
WIN_VALUE = 12.0  # value of an empty hand
JOKER_VALUE = 3.0  # value of keeping a joker, which can always be laid last
CAUGHT_LIE_COST = 1.0  # cost of a lie that is called, in addition to the pile
WRONG_CALL_CARD_VALUE = 0.3  # value of each card that another seat takes for a wrong call
CAUGHT_LIE_CARD_VALUE = 0.6  # value of each card that a liar takes, divided among all seats that gain
NEARNESS_VALUE = 2.0  # value of keeping only cards that can be laid soon
SMALL_COUNT = 24  # up to this many cards, each number is compared; larger numbers are compared in steps
STEP_CHANCES = (1.0, 0.84, 0.53, 0.21, 0.05)
"""Chances that four random steps of -1, 0 or +1 end at distance 0 to 4, relative to the chance of distance 0."""


def chance(wanted: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance that at least `wanted` of `drawn` cards fit, if `fitting` cards of the pool fit.

    The sum starts at the bound and goes away from the expected number. There the terms soon become too small to count,
    so even thousands of cards need only some dozens of terms.
    """
    if wanted <= max(0, drawn - (pool - fitting)):
        return 1
    if wanted > min(fitting, drawn):
        return 0
    if wanted * pool > fitting * drawn:
        return min(tail(wanted, fitting, pool, drawn), 1)
    return max(1 - tail(drawn - wanted + 1, pool - fitting, pool, drawn), 0)  # too many of the other cards


def tail(hits: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance of at least `hits` fitting cards. `hits` must be above the expected number."""
    others = pool - fitting - drawn
    term = exp(log_comb(fitting, hits) + log_comb(pool - fitting, drawn - hits) - log_comb(pool, drawn))
    total = 0.0
    while term > total * 1e-17:
        total += term
        term *= (fitting - hits) * (drawn - hits) / ((hits + 1) * (others + hits + 1))
        hits += 1
    return total


def log_comb(cards: int, chosen: int) -> float:
    """Return the logarithm of a binomial coefficient. For 1000 cards, the coefficient itself may have 300 digits."""
    return lgamma(cards + 1) - lgamma(chosen + 1) - lgamma(cards - chosen + 1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A play to compare with others. A list of its cards would take too long with large decks."""

    laid: dict[Card, int]  # number of copies by card
    rank: Rank
    count: int

    @staticmethod
    def of(cards: Iterable[Card], hand: Hand, count: int, rank: Rank) -> "Candidate":
        """Return the play of the first `count` cards, given all different cards of the hand in the order wanted."""
        laid, left = dict[Card, int](), count
        for card in cards:
            if not left:
                break
            laid[card] = min(hand.copies(card), left)
            left -= laid[card]
        return Candidate(laid, rank, count)

    @property
    def is_honest(self) -> bool:
        return all(card.fits(self.rank) for card in self.laid)

    @property
    def play(self) -> Play:
        return Play(tuple(card for card in sorted(self.laid) for _ in range(self.laid[card])), self.rank)


def spread(counts: Sequence[int], most: int) -> list[int]:
    """Return the legal counts up to `most` that are worth comparing: the small ones, a few others, and the largest."""
    legal = counts[: bisect_right(counts, most)]
    chosen = list(legal[:1])
    for count in legal[1:]:
        if count <= SMALL_COUNT or count >= chosen[-1] * 1.2 or count == legal[-1]:
            chosen.append(count)
    return chosen


class Counter(Bot):
    def __init__(self) -> None:
        # Numbers of lies and of calls. The key is the entrant, and whether the move had one card.
        self.lies = defaultdict[Any, list[float]](lambda: [1, 3])
        self.doubts = [[0.4 * count, 10.0] for count in range(6)]  # calls and moves, by number of cards up to 5
        self.laid: CheatPlayed | None = None
        self.seen: dict[int, Hand] = {}  # known cards that may be in the hand of another seat, by seat
        self.held: list[tuple[Card, int]] = []  # this bot's different cards, each with its number of copies
        self.sizes: list[int] = []  # sizes of the hands, by seat
        self.pile = 0  # number of cards on the pile
        self.jokers = self.pool = 0  # number of unknown jokers, and of all unknown cards

    def saw(self, table: Table, event: Any) -> None:
        """Count how often each entrant lies, and how often seats call without knowing that the move is a lie."""
        if isinstance(event, CheatPlayed):
            self.laid = event
            self.doubts[min(event.count, 5)][1] += 1
        elif isinstance(event, CheatCalled) and self.laid is not None:
            known = self.lies[table.entrants[event.accused], self.laid.count == 1]
            known[0] += event.right
            known[1] += 1
            doubt = self.doubts[min(self.laid.count, 5)]
            if event.right and event.accused != table.seat:
                doubt[1] -= 1  # the caller may have known
            else:
                doubt[0] += 1

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        if table.is_impossible(claim) or table.is_final_window:  # if nobody calls in a final window, the mover wins
            return Call()
        self.count_known_cards(table)
        gain = CAUGHT_LIE_CARD_VALUE * self.pile / len(self.seen) + (0 if self.sizes[claim.seat] else WIN_VALUE / 2)
        lie = self.chance_of_lie(table, claim) if claim.count else 0
        return Call() if lie * gain > CAUTION * (1 - lie) * self.pile else Decline()

    def chance_of_lie(self, table: Table, claim: Claim) -> float:
        """Return the chance of a lie, from the entrant's lies so far and the chance that it could make a true claim."""
        lies, calls = self.lies[table.entrants[claim.seat], claim.count == 1]
        size = self.sizes[claim.seat] + claim.count
        able = 1 - (1 - self.chance_held(table, claim.seat, claim.rank, claim.count, size)) ** 3  # in one of 3 ranks
        lie = lies / calls
        return lie / (lie + (1 - lie) * able)

    def count_known_cards(self, table: Table) -> None:
        """Record from `table` which seen cards each seat may still have, and how many cards are unseen."""
        self.estimate_sizes(table)
        out = [seat for seat, place in enumerate(table.places) if place]
        seats = [seat for seat in range(table.seat_count) if seat not in (table.seat, *out)]
        self.seen = {seat: Hand(table.seen_cards(seat)) for seat in seats}
        known = [Hand(table.known_pile), *self.seen.values()]
        self.jokers = max(table.ruleset.jokers - table.hand.jokers - sum(some.jokers for some in known), 0)
        self.pool = sum(self.sizes) - len(table.hand) + self.pile - sum(map(len, known))

    def estimate_sizes(self, table: Table) -> None:
        """Use the real sizes of pile and hands. If they are hidden, use the claims, and assume hands of equal size."""
        self.pile = table.pile_claimed if table.pile_size is None else table.pile_size
        rest = table.ruleset.card_count - self.pile - sum(size or 0 for size in table.hand_sizes)
        share = max(rest // max(table.hand_sizes.count(None), 1), 1)
        self.sizes = [share if size is None else size for size in table.hand_sizes]

    def chance_held(self, table: Table, seat: int, rank: Rank, wanted: int, size: int) -> float:
        """Return the chance that at least `wanted` of the `size` cards in a seat's hand fit a rank."""
        fitting = table.unseen(rank) + self.jokers
        pool = max(self.pool, fitting)
        drawn = min(max(size - len(self.seen[seat]), 0), pool)
        return chance(wanted - count_fitting(self.seen[seat], rank), fitting, pool, drawn)

    def turn(self, table: Table, options: TurnOptions) -> Move:
        self.count_known_cards(table)
        best = max(self.candidates(table, options), key=lambda each: self.value(table, each), default=None)
        return best.play if best else options.pass_() or options.smallest_lie()

    def candidates(self, table: Table, options: TurnOptions) -> Iterator[Candidate]:
        """Yield the plays to compare: true ones, lies with the least useful cards, and a play of no cards."""
        hand = table.hand
        different = sorted(set(hand))
        self.held = [(card, hand.copies(card)) for card in different]
        for rank in options.ranks:
            fitting = [card for card in different if card.fits(rank)]
            if hand.count(rank) or not options.face_up or hand.jokers == len(hand):  # jokers need a natural card there
                for count in spread(options.counts, count_fitting(hand, rank)):
                    yield Candidate.of(fitting, hand, count, rank)
        if options.face_up:
            return
        if options.zero:  # a random rank, so that seats do not all wait for the same rank forever
            yield Candidate({}, table.random.choice(options.ranks), 0)
        for rank in options.ranks:
            useless_first = sorted(different, key=lambda card: (card.fits(rank), nearness(card, rank)))
            for count in spread(options.counts, min(table.ruleset.copies, len(hand))):
                yield Candidate.of(useless_first, hand, count, rank)

    def value(self, table: Table, play: Candidate) -> float:
        """Return the expected value of a play, in cards."""
        hand, rank = table.hand, play.rank
        worth = play.count - JOKER_VALUE * sum(number for card, number in play.laid.items() if card.is_joker)
        if rest := len(hand) - play.count:
            kept = sum((number - play.laid.get(card, 0)) * nearness(card, rank) for card, number in self.held)
            worth += NEARNESS_VALUE * kept / rest
        else:
            worth += WIN_VALUE
        called = self.chance_called(table, play)
        if play.is_honest:
            return worth + called * WRONG_CALL_CARD_VALUE * (self.pile + play.count)
        return (1 - called) * worth - called * (CAUGHT_LIE_COST + self.pile)

    def chance_called(self, table: Table, play: Candidate) -> float:
        """Return the chance that a seat calls, either without a reason or because it holds too many fitting cards."""
        calls, moves = self.doubts[min(play.count, 5)]
        # Last cards are nearly always called.
        believed = 1 - min(calls / moves, 1) if play.count < len(table.hand) else 0.1
        if not play.is_honest:
            fitting = {seat: count_fitting(seen, play.rank) for seat, seen in self.seen.items()}
            enough = table.ruleset.copies + table.ruleset.jokers - play.count + 1 - sum(fitting.values())
            for seat, own in fitting.items():
                believed *= 1 - self.chance_held(table, seat, play.rank, enough + own, self.sizes[seat])
        return 1 - believed


def count_fitting(hand: Hand, rank: Rank) -> int:
    """Return how many cards of a hand make a claim of the rank true."""
    return hand.count(rank) + hand.jokers


@cache
def nearness(card: Card, rank: Rank) -> float:
    """Return how likely a card is to fit a claim one round later, from 0 to 1; a joker always fits."""
    if card.rank is None:
        return 1
    distance = abs(card.rank - rank)
    return dict(enumerate(STEP_CHANCES)).get(min(distance, 13 - distance), 0)


if __name__ == "__main__":
    run(Counter)
