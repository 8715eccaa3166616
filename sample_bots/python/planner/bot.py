"""planner: estimates how many turns it needs to lay all its cards, and makes the move that leaves the fewest.

It knows which ranks will be due at its next turns. If the ranks rotate, it knows them exactly: it chooses the rank that
it will lay last, and parts with the cards that are due later while a lie is cheap. Otherwise the claimed ranks wander,
and it tries to keep cards near the claimed rank, or waits.

It learns how often its own lies are caught. If only the next seat may call, it learns how often each entrant calls.

A caught lie helps all other seats alike, but a wrong call costs only the caller. So the bot calls when it is certain or
has nothing to lose. If only the seat in turn may call, a right call also gives it the lead, and then it calls more.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import comb
from statistics import NormalDist
from typing import Any

from cheatarena import Bot, Call, Card, Claim, Decline, Doubt, Hand, Move, Play, Rank, Table, TurnOptions, run
from cheatarena.cheat.facts import CheatCalled, CheatPassed, CheatPlayed

EMPTIED = 5  # kind of a move that empties the hand; other moves are of kinds 0 to 4, by the number of claimed cards
CAUGHT_RATES = (0.02, 0.2, 0.4, 0.6, 0.8, 0.97)  # by kind: share of lies that are caught, before the first one is told
CALL_RATES = (0.01, 0.08, 0.15, 0.25, 0.35, 0.6)  # by kind: share of moves that the next seat calls, at first
LIE_FACTOR = 2.0  # seats call lies more often than true moves
RATE_WEIGHT = 6.0  # the rates above count as much as six observations
WILL = (0.0, 0.15, 0.2, 0.3)  # by number of cards: share of lies of a seat that could have told the truth
WILL_WEIGHT = 6.0
HIDDEN_SIZE = 8  # assumed size of a hand whose size is hidden
# Values and costs are in turns, and were found by experiment.
RANK_TURNS = 1.0  # for each rank in the hand
CARD_TURNS = 0.3  # for each card in the hand
PILE_CARD_TURNS = 0.2  # for each card of a pile
DISTANCE_TURNS = 0.5  # for each step from the claimed rank to the ranks in the hand, on average
LIE_TURNS = 0.5  # for each card that has to be laid as a lie
WIN_TURNS = 3.0
JOKER_TURNS = 1.0
CAUGHT_TURNS = 0.5
WAIT_TURNS = 0.2  # for each turn that the bot has waited already: otherwise seats could wait for each other forever
LEAD_TURNS = 2.5  # a right call gives the lead, and only the seat in turn may call
LOST_TURNS = 0.7  # a wrong call takes the place of a move, and gives the lead to the other seat
OPENING_TURNS = 0.2  # a right call gives the lead, and every seat may call
WINNER_TURNS = 4.0  # a right call takes back the win of another seat


def chance(wanted: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance that at least `wanted` of `drawn` cards fit, if `fitting` cards of the pool fit."""
    pool, fitting = max(pool, 0), min(max(fitting, 0), max(pool, 0))
    drawn = min(max(drawn, 0), pool)
    if wanted <= 0 or wanted > min(fitting, drawn):
        return float(wanted <= 0)
    if pool > 400:  # the exact numbers become huge
        share = fitting / pool
        variance = drawn * share * (1 - share) * (pool - drawn) / (pool - 1)
        return 1 - NormalDist(drawn * share, max(variance, 0.01) ** 0.5).cdf(wanted - 0.5)
    ways = (comb(fitting, hits) * comb(pool - fitting, drawn - hits) for hits in range(wanted, min(fitting, drawn) + 1))
    return sum(ways) / comb(pool, drawn)


class Planner(Bot):
    def __init__(self) -> None:
        self.lies = defaultdict[tuple[int, int], list[float]](lambda: [0.0, 0.0])  # lies and shown moves, by entrant
        self.caught: list[list[float]] = []  # own lies by kind: caught, and told
        self.calls = defaultdict[tuple[int, int], list[float]](lambda: [0.0, 0.0])  # calls and answers to other seats
        self.is_lying = False
        self.waits = 0  # own moves of no cards in a row
        self.laid: CheatPlayed | None = None
        self.known: dict[int, Hand] = {}  # cards that a seat certainly holds, by opponent
        self.seats = 0  # number of seats that still play

    def match_started(self, table: Table) -> None:
        self.caught = [[RATE_WEIGHT * rate, RATE_WEIGHT] for rate in CAUGHT_RATES]

    def saw(self, table: Table, event: Any) -> None:
        """Count the lies and the calls of each entrant, and how many of the bot's own lies are caught."""
        if isinstance(event, CheatCalled | CheatPassed | CheatPlayed):
            self.count_answer(table, event)
        if isinstance(event, CheatPlayed):
            self.laid = event
            if event.seat == table.seat and self.is_lying:
                self.caught[kind(event)][1] += 1
        elif isinstance(event, CheatCalled) and self.laid:
            shown = self.lies[table.entrants[event.accused], min(self.laid.count, 3)]
            shown[0] += event.right
            shown[1] += 1
            if event.accused == table.seat and event.right:
                self.caught[kind(self.laid)][0] += 1
            self.laid = None

    def count_answer(self, table: Table, event: CheatCalled | CheatPassed | CheatPlayed) -> None:
        """Count a call, or a move that shows that a seat did not call the last move."""
        seat = event.caller if isinstance(event, CheatCalled) else event.seat
        if self.laid and seat != self.laid.seat:
            answers = self.calls[table.entrants[seat], kind(self.laid)]
            answers[0] += isinstance(event, CheatCalled)
            answers[1] += 1
            if isinstance(event, CheatPassed):
                self.laid = None

    def look(self, table: Table) -> None:
        opponents = [seat for seat, place in enumerate(table.places) if not place and seat != table.seat]
        self.known = {seat: Hand(table.known_cards(seat)) for seat in opponents}
        self.seats = 1 + len(opponents)

    def chance_held(self, table: Table, seat: int, rank: Rank, wanted: int, laid: int = 0) -> float:
        """Return the chance that a seat holds at least `wanted` cards that fit, or held them before it laid some."""
        known, rules = self.known[seat], table.ruleset
        certain = sum(map(len, self.known.values())) + len(table.known_pile)
        pool = rules.card_count - len(table.hand) - certain
        jokers = rules.jokers - table.hand.jokers - sum(each.jokers for each in self.known.values())
        size = table.hand_sizes[seat]
        drawn = (HIDDEN_SIZE if size is None else size) + laid - len(known)
        return chance(wanted - known.count(rank) - known.jokers, table.unseen(rank) + jokers, pool, drawn)

    # ---- calls

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        if table.is_impossible(claim) or table.is_final_window:
            return Call()
        self.look(table)
        is_alone = table.ruleset.call_mode == "turn_action"
        gain = (LEAD_TURNS if is_alone else OPENING_TURNS) if table.ruleset.success_next == "caller" else 0.0
        gain += 0.0 if table.hand_sizes[claim.seat] != 0 else WINNER_TURNS
        lie = self.chance_of_lie(table, claim) if gain and claim.count else 0.0
        loss = PILE_CARD_TURNS * table.pile_claimed + (LOST_TURNS if is_alone else 0.0)
        return Call() if lie * gain > (1 - lie) * loss else Decline()

    def chance_of_lie(self, table: Table, claim: Claim) -> float:
        """Return the chance of a lie. A seat lies because it wants to, or lies with one card because it must."""
        lies, shown = self.lies[table.entrants[claim.seat], min(claim.count, 3)]
        will = (WILL[min(claim.count, 3)] * WILL_WEIGHT + lies) / (WILL_WEIGHT + shown)
        able = self.chance_held(table, claim.seat, claim.rank, claim.count, claim.count)
        must = 0.0
        if claim.count == 1 and table.ruleset.passing not in ("pass_turn", "pass_trick"):
            # It had to lie if it held no rank that it might have claimed. There are often three such ranks.
            none = 1 - self.chance_held(table, claim.seat, claim.rank, 1, claim.count)
            must = none if table.ruleset.rotates else none**3
        lie = will + (1 - will) * must
        return lie / (lie + (1 - will) * able)

    # ---- moves

    def turn(self, table: Table, options: TurnOptions) -> Move:
        self.look(table)
        hand = [table.hand.count(rank) for rank in range(14)]
        costs = {play: self.cost(table, play, hand) for play in self.plays(table, options)}
        best: Move = min(costs, key=lambda play: costs[play], default=None) or options.smallest_lie()
        if (wait := options.pass_()) and isinstance(best, Play):
            rank = table.previous.rank if table.previous else best.rank
            best = wait if self.turns_left(table, hand, rank) < costs.get(best, 0) else best
        self.is_lying = isinstance(best, Play) and not best.is_honest
        self.waits = self.waits + 1 if isinstance(best, Play) and not best.cards else 0
        return best

    def plays(self, table: Table, options: TurnOptions) -> Iterator[Play]:
        """Yield true plays, lies with the cards that are due last, and plays of no cards."""
        hand, jokers = table.hand, tuple(card for card in table.hand if card.is_joker)
        for rank in options.ranks:
            natural = hand.of(rank)
            if natural or not options.face_up or len(jokers) == len(hand):  # jokers need a natural card there
                fitting = natural + jokers
                yield from (Play(fitting[:count], rank) for count in some_counts(options, len(fitting)))
            if not options.face_up:
                yield from self.false_plays(table, options, rank)
            if options.zero:
                yield Play((), rank)

    def false_plays(self, table: Table, options: TurnOptions, rank: Rank) -> Iterator[Play]:
        natural, hand = table.hand.of(rank), table.hand
        latest = sorted((each for each in hand.ranks if each != rank), key=lambda each: -self.due(table, rank, each))
        junk = [card for each in latest for card in hand.of(each)]
        for count in some_counts(options, min(len(junk) + len(natural), table.ruleset.copies)):
            if count <= len(junk):
                yield Play(sort(junk[:count]), rank)
            if natural and len(natural) < count:
                yield Play(sort([*natural, *junk[: count - len(natural)]]), rank)
        if options.laid and options.counts:  # claim few cards, and lay many
            for laid in {2, 3, 4, 5, len(junk) // 2, *range(len(junk) - 4, len(junk))}:
                if laid in options.laid and 1 < laid < len(junk):
                    yield from (Play(sort(junk[:laid]), rank, count=claimed) for claimed in options.counts[:2])

    def due(self, table: Table, rank: int, other: int) -> int:
        """Return how far away a rank is after a claim: in own turns if the ranks rotate, otherwise in ranks."""
        if table.ruleset.rotates:
            return next((turn for turn in range(1, 14) if (rank + self.seats * turn) % 13 == other), 14)
        return min((other - rank) % 13, (rank - other) % 13)

    def turns_left(self, table: Table, hand: Sequence[int], rank: int) -> float:
        """Estimate how many turns it takes to lay a hand, given as numbers by rank, after a claim."""
        held, size = [each for each in range(13) if hand[each]], sum(hand)
        if not size:
            return -WIN_TURNS
        if table.ruleset.rotates:
            return CARD_TURNS * size + min((self.turns_to(last, table, hand, rank) for last in held), default=1.0)
        turns = max(RANK_TURNS * len(held) - 0.5 * hand[13], 0.5) + CARD_TURNS * size
        if len(table.ruleset.rank_next) > 1 and held:
            turns += DISTANCE_TURNS * sum(self.due(table, rank, each) for each in held) / len(held)
        return turns

    def turns_to(self, last: int, table: Table, hand: Sequence[int], rank: int) -> float:
        """Return the turns until the rank `last` is due, plus the costs of laying all other cards before."""
        end, before, junk = self.due(table, rank, last), 0, 0
        for each in range(13):
            if hand[each] and each != last:
                is_later = self.due(table, rank, each) > end
                junk += hand[each] if is_later else 0
                before += not is_later
        idle = end - 1 - before  # turns without a card that is due: each takes a lie
        return end + LIE_TURNS * max(junk, idle) + 0.3 * max(idle - junk, 0)

    def cost(self, table: Table, play: Play, hand: Sequence[int]) -> float:
        """Return the expected number of turns to lay all cards after a play."""
        rest = list(hand)
        for card in play.cards:
            rest[card >> 2] -= 1
        turns = self.turns_left(table, rest, play.rank)
        if any(rest):
            turns += JOKER_TURNS * (hand[13] - rest[13])
        if play.is_honest:
            return turns if play.cards else turns + WAIT_TURNS * self.waits
        caught = self.chance_caught(table, play, is_last=not any(rest))
        pile = PILE_CARD_TURNS * table.pile_claimed
        return (1 - caught) * turns + caught * (self.turns_left(table, hand, play.rank) + pile + CAUGHT_TURNS)

    def chance_caught(self, table: Table, play: Play, *, is_last: bool) -> float:
        """Return the chance that a lie is called: as often as its kind was, or by a seat with too many such cards."""
        number = EMPTIED if is_last else min(play.claimed, 4)
        if table.ruleset.call_mode == "turn_action":
            caller = min(self.known, key=lambda seat: (seat - table.seat) % table.seat_count)
            calls, answers = self.calls[table.entrants[caller], number]
            return min(LIE_FACTOR * (calls + RATE_WEIGHT * CALL_RATES[number]) / (answers + RATE_WEIGHT), 1)
        caught, told = self.caught[number]
        believed = 1 - min(caught / told, 1)
        refuting = table.ruleset.copies + table.ruleset.jokers - play.claimed + 1
        for seat in self.known:
            believed *= 1 - self.chance_held(table, seat, play.rank, refuting)
        return 1 - believed


def kind(move: CheatPlayed) -> int:
    return EMPTIED if move.emptied else min(move.count, 4)


def some_counts(options: TurnOptions, most: int) -> list[int]:
    """Return the legal counts up to `most`, but of many only the smallest and the largest."""
    legal = [count for count in options.counts if count <= most]
    return legal if len(legal) < 8 else legal[:5] + legal[-2:]


def sort(cards: Sequence[Card]) -> tuple[Card, ...]:
    return tuple(sorted(cards))


if __name__ == "__main__":
    run(Planner)
