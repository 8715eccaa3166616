"""modeller: learns how often each seat lies and calls, and compares its choices by their expected gain in cards.

It keeps two tables for each entrant of the match, by the number of claimed cards: how many of the moves that calls have
shown were lies, and how often the seat called when it was asked. A few made-up observations stand in each table before
the first game. The bot leaves a doubtful claim to the other callers if they probably catch it, because everybody gains
from a caught lie, but only the caller pays for a wrong call.
"""

from collections import defaultdict
from collections.abc import Iterator
from math import comb
from statistics import NormalDist
from typing import Any

from cheatarena import Bot, Call, Claim, Decline, Doubt, Hand, Move, Play, Table, TurnOptions, run
from cheatarena.cheat.facts import CheatCalled, CheatPassed, CheatPlayed, CheatWindowClosed

EMPTIED = 5  # kind of a move that empties the hand; all other moves are kinds 0 to 4, by the number of claimed cards
LIE_RATES = (0.0, 0.2, 0.2, 0.3, 0.3, 0.3)  # made-up shares of lies, by kind
CALL_RATES = (0.01, 0.08, 0.15, 0.25, 0.35, 0.6)  # made-up shares of calls of one seat, by kind
WEIGHT = 6.0  # number of made-up observations
MANY_CARDS = 400
HIDDEN_SIZE = 8  # assumed size of a hand whose size is hidden
# Values in cards, found by experiment.
LEAD_VALUE = 6.0  # a right call in the own turn starts a trick, and a trick gets rid of many cards
CAUGHT_COST = 1.0  # a caught lie shows the cards
JOKER_VALUE = 2.0
WAIT_COST = 0.3  # for each turn that the bot has waited already: otherwise seats could wait for each other forever
WIN_VALUE = 12.0
RANK_VALUE = 0.6  # laying the last card of a rank: fewer ranks are easier to lay

Counts = defaultdict[Any, list[float]]


def chance(wanted: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance that at least `wanted` of `drawn` cards fit, if `fitting` cards of the pool fit."""
    if wanted <= 0:
        return 1.0
    if pool > MANY_CARDS:  # the exact numbers become huge
        return 1 - NormalDist(drawn * fitting / pool, (drawn * fitting / pool) ** 0.5 + 0.01).cdf(wanted - 0.5)
    ways = (comb(fitting, hits) * comb(pool - fitting, drawn - hits) for hits in range(wanted, min(fitting, drawn) + 1))
    return sum(ways) / comb(pool, drawn)


class Modeller(Bot):
    def __init__(self) -> None:
        # Observations by entrant and kind: how many of them were lies or calls, and their number.
        self.lies: Counts = defaultdict(lambda: [0.0, 0.0])
        self.calls: Counts = defaultdict(lambda: [0.0, 0.0])
        self.last: CheatPlayed | None = None  # the move that may be called
        self.own_calls = [4.0, 5.0]  # how many of this bot's guesses were right, and their number
        self.guessed = False
        self.waits = 0  # own moves of no cards in a row

    # ---- what it learns

    def saw(self, table: Table, event: Any) -> None:
        last = self.last
        if isinstance(event, CheatPlayed):
            if last and self.only_next_may_call(table):
                self.count_answer(table, event.seat, called=False)
            self.last = event
        elif isinstance(event, CheatPassed):
            self.count_answer(table, event.seat, called=False)
        elif isinstance(event, CheatWindowClosed):
            for seat in self.opponents(table):
                self.count_answer(table, seat, called=False)
            self.last = None
        elif isinstance(event, CheatCalled) and last:
            self.count_answer(table, event.caller, called=True)
            if event.caller == table.seat and self.guessed:
                count(self.own_calls, happened=event.right)
            count(self.lies[table.entrants[event.accused], kind(last)], happened=event.right)
            self.last = None

    def count_answer(self, table: Table, seat: int, *, called: bool) -> None:
        """Count the answer of another seat to the last move."""
        if self.last and seat not in (self.last.seat, table.seat):
            count(self.calls[table.entrants[seat], kind(self.last)], happened=called)

    def only_next_may_call(self, table: Table) -> bool:
        return table.ruleset.call_mode == "turn_action" or not table.ruleset.any_caller

    def opponents(self, table: Table) -> list[int]:
        return [seat for seat, place in enumerate(table.places) if not place and seat != table.seat]

    def lie_rate(self, table: Table, seat: int, number: int) -> float:
        lies, shown = self.lies[table.entrants[seat], number]
        return (lies + WEIGHT * LIE_RATES[number]) / (shown + WEIGHT)

    def chance_somebody_calls(self, table: Table, mover: int, number: int) -> float:
        """Return the chance that a seat other than this one calls a move, from the calls so far."""
        silent = 1.0
        for seat in self.opponents(table):
            if seat != mover:
                calls, asked = self.calls[table.entrants[seat], number]
                silent *= 1 - (calls + WEIGHT * CALL_RATES[number]) / (asked + WEIGHT)
                if self.only_next_may_call(table):
                    break
        return 1 - silent

    # ---- calls

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        self.guessed = False
        if table.is_impossible(claim) or table.is_final_window:
            return Call()
        lie = self.chance_of_lie(table, claim) * self.own_calls[0] / self.own_calls[1]
        if self.only_next_may_call(table):
            gain, free, loss = table.pile_claimed / len(self.opponents(table)) + LEAD_VALUE, 0.0, LEAD_VALUE / 2
        else:
            gain, loss = table.pile_claimed / len(self.opponents(table)), 0.0
            free = self.chance_somebody_calls(table, claim.seat, min(claim.count, 4))
        self.guessed = lie * gain * (1 - free) > (1 - lie) * (table.pile_claimed + loss)
        return Call() if self.guessed else Decline()

    def chance_of_lie(self, table: Table, claim: Claim) -> float:
        """Return the chance of a lie: a seat lies because it likes to, or with one card because it must."""
        will = self.lie_rate(table, claim.seat, min(claim.count, 4))
        able = self.chance_held(table, claim.seat, claim.count, claim)
        must = 0.0
        if claim.count == 1 and table.ruleset.passing not in ("pass_turn", "pass_trick"):
            ranks = 1 if table.ruleset.rotates else 3  # it chooses one of about three ranks
            must = (1 - self.chance_held(table, claim.seat, 1, claim)) ** ranks
        lie = (will + (1 - will) * must) if claim.count else 0.0
        return lie / (lie + (1 - will) * able) if lie else 0.0

    def chance_held(self, table: Table, seat: int, wanted: int, claim: Claim) -> float:
        """Return the chance that a seat had at least `wanted` cards of the claimed rank before its move."""
        known = Hand(table.known_cards(seat))
        pool = table.ruleset.card_count - len(table.hand) - len(table.known_pile) - len(known)
        fitting = min(table.unseen(claim.rank) + table.ruleset.jokers - table.hand.jokers, pool)
        drawn = min(max((table.hand_sizes[seat] or HIDDEN_SIZE) + claim.count - len(known), 0), pool)
        return chance(wanted - known.count(claim.rank) - known.jokers, max(fitting, 0), pool, drawn)

    # ---- turns

    def turn(self, table: Table, options: TurnOptions) -> Move:
        plays = list(self.plays(table, options))
        best = max(plays, key=lambda play: self.value(table, play), default=None)
        self.waits = self.waits + 1 if best and not best.cards else 0
        wait = options.pass_()
        return wait if wait and (best is None or self.value(table, best) < 0) else best or options.smallest_lie()

    def plays(self, table: Table, options: TurnOptions) -> Iterator[Play]:
        """Yield true plays, believable lies, and plays of no cards."""
        jokers = tuple(card for card in table.hand if card.is_joker)
        for rank in options.ranks:
            natural = table.hand.of(rank)
            if natural or not options.face_up or len(jokers) == len(table.hand):
                fitting = natural + jokers
                counts = [number for number in options.counts if number <= len(fitting)]
                yield from (Play(fitting[:number], rank) for number in {*counts[:4], *counts[-2:]})
        yield from options.plausible_lies(40)
        if options.zero:
            yield from (Play((), rank) for rank in options.ranks)

    def value(self, table: Table, play: Play) -> float:
        """Return the expected value of a play, in cards."""
        number = EMPTIED if len(play.cards) == len(table.hand) else min(play.claimed, 4)
        called = self.chance_somebody_calls(table, table.seat, number)
        worth = len(play.cards) - JOKER_VALUE * sum(card.is_joker for card in play.cards)
        worth += RANK_VALUE * sum(table.hand.count(rank) <= number_of(play, rank) for rank in ranks_of(play))
        worth += self.nearness(table, play)
        if number == EMPTIED:
            worth += WIN_VALUE
        if play.is_honest:
            return worth if play.cards else worth - WAIT_COST * self.waits
        caught = min(called * 2, 1.0)  # seats call lies more often than true moves
        return (1 - caught) * worth - caught * (CAUGHT_COST + table.pile_claimed)

    def nearness(self, table: Table, play: Play) -> float:
        """Return from 0 to 1 how near the ranks of the hand are to the claimed rank."""
        ranks = [rank for rank in table.hand.ranks if rank not in ranks_of(play)]
        steps = [min((rank - play.rank) % 13, (play.rank - rank) % 13) for rank in ranks]
        return sum(1 - step / 6 for step in steps) / len(steps) if steps else 1.0


def kind(move: CheatPlayed) -> int:
    return EMPTIED if move.emptied else min(move.count, 4)


def count(observations: list[float], *, happened: bool) -> None:
    observations[0] += happened
    observations[1] += 1


def ranks_of(play: Play) -> set[int]:
    return {card.rank for card in play.cards if card.rank is not None}


def number_of(play: Play, rank: int) -> int:
    return sum(card.rank == rank for card in play.cards)


if __name__ == "__main__":
    run(Modeller)
