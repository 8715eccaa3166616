"""search: deals the hidden cards at random many times, and plays each deal on with simple players.

In each deal, the bot tries its moves. It drops the worse half of them after some deals, and makes the move with the
best results. A deal agrees with what the bot knows: its hand, the cards that calls have shown, the sizes, and how
probable it is that a claim is true. The simple players lay true cards, wait, or lie now and then. They call as often as
this bot's own moves have been called. In call windows, the bot searches only if a call may stop a winner or give it the
lead. Other guesses did not pay: all seats gain from a caught lie, but only the caller pays for a wrong call.

The number of deals limits the work, so the same seed leads to the same game. Only if a decision takes more than half of
its time, the bot stops early. The environment variable DEALS, from 3 to 1000, sets the number; the default is 9.
"""

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import comb, exp
from statistics import NormalDist
from typing import Any

from cheatarena import Bot, Call, Claim, Decline, Doubt, Hand, Move, Pass, Play, Table, TurnOptions, run
from cheatarena.cheat.cards import RANKS
from cheatarena.cheat.facts import CheatCalled, CheatDealt, CheatPlayed
from cheatarena.cheat.ruleset import Ruleset

DEALS = float(os.environ.get("DEALS", "9"))
if not 3 <= DEALS <= 1000:
    raise SystemExit(f"DEALS is {DEALS}: expected a number from 3 to 1000")

MANY_CARDS = 400
JOKER = 13  # index of the jokers in a list of numbers by rank
EMPTIED = 5  # kind of a move that empties the hand; other moves are kinds 0 to 4, by number of cards
STEPS = {"same": 0, "up1": 1, "down1": -1, "up2": 2, "down2": -2}
DEPTH = 16  # moves of a playout
SCALE = 5.0  # a seat with this many cards more than another is ahead of it in 27 % of games
WAITS = 0.7  # how often a simple player without a true move waits, if it may
LIES = 0.15  # how often a simple player lies although it has a true move
MARGIN = 0.02  # a call must gain this much, on a scale from 0 for the worst place to 1 for the best
LIE_MARGIN = 0.03  # a lie must gain this much
MIN_LIE = 0.3  # less probable lies are not called
KEEP = 0.5  # share of the moves that stay after some deals
# How often moves are called, by kind, before the bot has seen anything: true moves, lies, and lies that only the seat
# in turn may call. OBSERVATIONS says how many moves this stands for.
TRUE_CALLS = (0.01, 0.04, 0.08, 0.15, 0.2, 0.5)
LIE_CALLS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
TURN_CALLS = (0.0, 0.25, 0.35, 0.5, 0.6, 0.9)
OBSERVATIONS = 6.0
LAST_CALLS = 0.97  # how often a move is called that would end the game
WILL = (0.0, 0.15, 0.2, 0.3, 0.3, 0.3)  # how often a seat lies although it need not, by kind


def ranks_after(rules: Ruleset, rank: int) -> list[int]:
    """Return the ranks that may follow a claimed rank."""
    if rules.rotates:
        return [(rank + 1) % 13]
    found = set()
    for name in rules.rank_next:
        to = rank + STEPS.get(name.removesuffix("_wrap"), 0)
        if name == "others":
            found |= {other for other in range(13) if distance(rank, other) >= 3}
        elif name.endswith("_wrap") != (0 <= to < 13):
            found.add(to % 13)
    return sorted(found) or list(range(13))


def distance(one: int, other: int) -> int:
    return min((one - other) % 13, (other - one) % 13)


class Plan:
    """What stays the same during a game."""

    def __init__(self, rules: Ruleset, seats: int) -> None:
        self.rules, self.seats = rules, seats
        self.after = [ranks_after(rules, rank) for rank in range(13)]
        self.clockwise = [[(seat + step) % seats for step in range(1, seats)] for seat in range(seats)]
        self.useless_first = [sorted(range(13), key=lambda each: -self.due(rank, each)) for rank in range(13)]
        self.can_pass = rules.passing in ("pass_turn", "pass_trick")
        self.can_wait = "zero" in rules.count and not rules.rotates
        self.one_wins = rules.objective == "first_out_wins"
        self.in_turn = rules.call_mode == "turn_action" or not rules.any_caller

    def due(self, rank: int, other: int) -> int:
        """Return how far away a rank is after a claim: in own turns if the ranks rotate."""
        if self.rules.rotates:
            return next((turn for turn in range(1, 14) if (rank + self.seats * turn) % 13 == other), 14)
        return distance(rank, other)

    def allows(self, before: int, count: int) -> bool:
        """Return whether a number of cards may be claimed after another; -1 stands for the start of a trick."""
        step = "same" if count == before else "more" if count > before else "less"
        return count <= self.rules.max_count and (before < 0 or self.rules.rotates or step in self.rules.count)


class World:
    """A deal of all cards, which simple players play on. Cards are numbers by rank."""

    plan: Plan
    hands: list[list[int]]
    sizes: list[int]
    pile: list[int]
    places: list[int]
    rank: int
    count: int  # claimed number; -1 at the start of a trick
    turn: int
    leader: int  # seat of the last move
    passes: int
    me: int
    doubts: Sequence[Sequence[float]]  # chance of a call for true moves and for lies, by kind
    rand: Any

    def copy(self) -> "World":
        new = World()
        new.plan, new.doubts, new.rand, new.me = self.plan, self.doubts, self.rand, self.me
        new.hands, new.sizes, new.pile = [hand[:] for hand in self.hands], self.sizes[:], self.pile[:]
        new.rank, new.count, new.turn, new.leader = self.rank, self.count, self.turn, self.leader
        new.places, new.passes = self.places[:], self.passes
        return new

    def play(self, laid: Sequence[tuple[int, int]], rank: int, count: int) -> None:
        """Lay numbers of cards by rank, and let the other seats answer."""
        seat, opens = self.turn, self.count < 0
        hand, pile, lied, total = self.hands[seat], self.pile, False, 0
        for each, number in laid:
            hand[each] -= number
            pile[each] += number
            total += number
            lied |= each not in (rank, JOKER)
        self.sizes[seat] -= total
        self.rank, self.count, self.leader, self.passes = rank, count, seat, 0
        if opens and self.plan.rules.opening_face_up:
            self.settle(seat, -1, lied=False)
        else:
            self.doubt(seat, lied=lied or total != count)

    def doubt(self, seat: int, *, lied: bool) -> None:
        """Let somebody call the last move, or nobody."""
        emptied, rules = not self.sizes[seat], self.plan.rules
        if emptied and rules.honest_win:
            self.settle(seat, seat if lied else -1, lied=lied)
            return
        called = self.doubts[lied][EMPTIED if emptied else min(self.count, 4)]
        if emptied and (self.plan.one_wins or sum(map(bool, self.sizes)) < 2):
            called = LAST_CALLS
        callers = [other for other in self.plan.clockwise[seat] if self.sizes[other]]
        if not callers or self.rand() >= called:
            self.settle(seat, -1, lied=lied)
        else:
            self.settle(seat, callers[0 if lied or self.plan.in_turn else int(self.rand() * len(callers))], lied=lied)

    def settle(self, mover: int, caller: int, *, lied: bool) -> None:
        """End the answers to a move. `caller` is -1 if nobody called."""
        rules = self.plan.rules
        if not self.sizes[mover] and not (lied and caller >= 0):
            self.places[mover] = 1 + sum(map(bool, self.places))
        to, keeps = (mover + 1) % self.plan.seats, True
        if caller >= 0:
            self.take(mover if lied else caller)
            keeps = not (rules.success_new_trick if lied else rules.failure_new_trick)
            goes = rules.success_next if lied else rules.failure_next
            to = {"caller": caller, "challenged": mover, "after_caller": (caller + 1) % self.plan.seats}.get(goes, to)
        if not keeps:
            self.count = -1
        self.move_to(to)

    def take(self, seat: int) -> None:
        self.hands[seat] = [own + taken for own, taken in zip(self.hands[seat], self.pile, strict=True)]
        self.sizes[seat] += sum(self.pile)
        self.pile = [0] * 14

    def move_to(self, seat: int) -> None:
        """Give the turn to a seat, or to the next one with cards."""
        self.turn = next((each for each in (seat, *self.plan.clockwise[seat]) if self.sizes[each]), seat)

    def pass_(self) -> None:
        self.passes += 1
        if self.passes < sum(1 for seat, size in enumerate(self.sizes) if size and seat != self.leader):
            self.move_to((self.turn + 1) % self.plan.seats)
            return
        self.count, self.passes = -1, 0
        if self.plan.rules.banish_on_new_trick:
            self.pile = [0] * 14
        self.move_to(self.leader)

    def step(self) -> None:
        """Let the seat to move lay its largest true set, or wait, or lie."""
        plan, hand, size, rand = self.plan, self.hands[self.turn], self.sizes[self.turn], self.rand
        ranks: Sequence[int] = plan.after[self.rank] if self.count >= 0 or plan.rules.rotates else range(13)
        number, rank = max((hand[each], each) for each in ranks)
        if number + hand[JOKER] >= size and (number or not plan.rules.opening_face_up or self.count >= 0):
            number = size
        if number and (rand() >= LIES or size < 4 or self.count < 0):
            number = next((count for count in range(number, 0, -1) if plan.allows(self.count, count)), 0)
            if number:
                self.play([(rank, min(number, hand[rank])), (JOKER, max(number - hand[rank], 0))], rank, number)
                return
        if self.count >= 0 and (plan.can_pass or plan.can_wait) and rand() < WAITS:
            if plan.can_pass:
                self.pass_()
            else:
                self.play((), rank, 0)
            return
        self.lie(rank, 1 + int(rand() * 3) if size > 4 and number else 1)

    def lie(self, rank: int, wanted: int) -> None:
        """Lay useless cards."""
        hand, size = self.hands[self.turn], self.sizes[self.turn]
        count = next((each for each in range(min(wanted, size), 0, -1) if self.plan.allows(self.count, each)), 0)
        count = count or next((each for each in range(1, size + 1) if self.plan.allows(self.count, each)), size)
        laid, left = [], count
        for each in (*self.plan.useless_first[rank], JOKER):
            if hand[each] and left:
                laid.append((each, min(hand[each], left)))
                left -= laid[-1][1]
        self.play(laid, rank, count)

    def play_out(self) -> float:
        """Play on, and return a value from 0 for the worst place to 1 for the best."""
        last = 1 if self.plan.one_wins else self.plan.seats - 1
        for _ in range(DEPTH):
            if self.places[self.me] or sum(map(bool, self.places)) >= last:
                break
            self.step()
        return self.value()

    def value(self) -> float:
        own, others = self.sizes[self.me], self.plan.seats - 1
        if self.plan.one_wins:
            if any(self.places):
                return float(self.places[self.me] == 1)
            least = min(self.sizes)
            return exp((least - own) / SCALE) / sum(exp((least - size) / SCALE) for size in self.sizes)
        if self.places[self.me]:
            return (others + 1 - self.places[self.me]) / others
        active = [size for size, place in zip(self.sizes, self.places, strict=True) if not place]
        behind = (1 / (1 + exp(min((own - size) / SCALE, 99))) for size in active)  # one of them is the bot itself
        return (sum(behind) - 0.5) / others


class Search(Bot):
    def __init__(self) -> None:
        self.lies = defaultdict[Any, list[float]](lambda: [0.0, 0.0])  # lies and shown moves, by entrant and kind
        self.told: list[list[list[float]]] = []  # calls and moves of this bot: true moves and lies, by kind
        self.lied = False
        self.laid: CheatPlayed | None = None
        self.guess: list[int] = []  # sizes of the hands if they are hidden, by the claims
        self.pile = 0
        self.plan: Plan

    def match_started(self, table: Table) -> None:
        rules = table.ruleset
        lie = TURN_CALLS if rules.call_mode == "turn_action" else LIE_CALLS
        self.told = [[[OBSERVATIONS * each, OBSERVATIONS] for each in prior] for prior in (TRUE_CALLS, lie)]

    def saw(self, table: Table, event: Any) -> None:
        if isinstance(event, CheatDealt):
            self.guess, self.pile = [table.ruleset.card_count // table.seat_count] * table.seat_count, 0
            self.plan = Plan(table.ruleset, table.seat_count)
        elif isinstance(event, CheatPlayed):
            self.laid = event
            self.guess[event.seat] = max(self.guess[event.seat] - event.count, 1)
            self.pile += event.count
            if event.seat == table.seat:
                self.told[self.lied][kind(event)][1] += 1
        elif isinstance(event, CheatCalled) and self.laid:
            self.guess[event.taker] += self.pile
            self.pile = 0
            shown = self.lies[table.entrants[event.accused], kind(self.laid)]
            shown[0] += event.right
            shown[1] += 1
            if event.accused == table.seat:
                self.told[self.lied][kind(self.laid)][0] += 1

    # ---- deals

    def look(self, table: Table) -> None:
        """Read from the table what all deals have in common."""
        rules, seats = table.ruleset, range(table.seat_count)
        self.known = [numbers(table.known_cards(seat)) for seat in seats]
        self.known[table.seat] = numbers(table.hand)
        self.known_pile = numbers(table.known_pile)
        certain = [*self.known, self.known_pile, numbers(table.known_banished)]
        pack = [rules.copies] * 13 + [rules.jokers]
        self.unknown = [max(number - sum(some[rank] for some in certain), 0) for rank, number in enumerate(pack)]
        self.pile_size = table.pile_claimed if table.pile_size is None else table.pile_size
        self.sizes = [guess if size is None else size for size, guess in zip(table.hand_sizes, self.guess, strict=True)]
        self.claims = [claim for claim in table.claims if claim.cards is None and claim.seat != table.seat]
        self.lie_rates = [self.lie_rate(table, claim) for claim in self.claims]
        self.doubts = [[calls / moves for calls, moves in told] for told in self.told]

    def deal(self, table: Table, rng: random.Random, last_lied: bool | None = None) -> World:
        """Deal the unknown cards. `last_lied` says whether the last claim is a lie, if this is not left to chance."""
        unknown, pile = self.unknown[:], self.known_pile[:]
        room = self.pile_size - sum(pile)
        for claim, rate in zip(reversed(self.claims), reversed(self.lie_rates), strict=True):
            lied = rng.random() < rate if last_lied is None else last_lied
            last_lied = None
            for rank in () if lied else (claim.rank, JOKER):
                number = max(min(claim.count if rank != JOKER else 0, unknown[rank], room), 0)
                unknown[rank] -= number
                pile[rank] += number
                room -= number
        rest = [rank for rank, number in enumerate(unknown) for _ in range(number)]
        rng.shuffle(rest)
        hands = [hand[:] for hand in self.known]
        shares = [(hand, size - sum(hand)) for hand, size in zip(hands, self.sizes, strict=True)]
        for cards, number in ((pile, room), *shares):
            for rank in rest[: max(number, 0)]:
                cards[rank] += 1
            del rest[: max(number, 0)]
        return self.build(table, hands, pile, rng)

    def build(self, table: Table, hands: list[list[int]], pile: list[int], rng: random.Random) -> World:
        world, previous, due = World(), table.previous, table.required_rank
        world.plan, world.doubts, world.rand, world.me = self.plan, self.doubts, rng.random, table.seat
        world.hands, world.pile, world.sizes = hands, pile, [sum(hand) for hand in hands]
        world.rank, world.count = (previous.rank, previous.count) if previous else (0, -1)
        world.rank = world.rank if due is None else (due - 1) % 13
        world.turn, world.leader, world.passes = table.seat, previous.seat if previous else table.seat, 0
        world.places = list(table.places)
        return world

    # ---- decisions

    def turn(self, table: Table, options: TurnOptions) -> Move:
        self.look(table)
        moves: list[Move] = list(dict.fromkeys(self.moves(options)))
        if options.can_pass:
            moves.append(Pass())
        totals = dict.fromkeys(moves, 0.0)
        deals, enough = 0, table.clock.left_s / 2
        while len(moves) > 1 and deals < DEALS and table.clock.left_s >= enough:
            for _ in range(int(DEALS / 3)):
                rng = random.Random(table.random.getrandbits(32))
                world, seed = self.deal(table, rng), rng.getrandbits(32)
                for move in moves:
                    rng.seed(seed)
                    totals[move] += try_move(world.copy(), move) - LIE_MARGIN * is_lie(move)
                deals += 1
            moves.sort(key=lambda move: -totals[move])
            del moves[max(int(len(moves) * KEEP), 2) :]
        best = max(moves, key=lambda move: totals[move], default=options.smallest_lie())
        self.lied = is_lie(best)
        return best

    def moves(self, options: TurnOptions) -> Iterator[Play]:
        """Yield the moves to try: a few true ones, a few lies, and plays of no cards."""
        hand, jokers = options.hand, tuple(card for card in options.hand if card.is_joker)
        likely = sorted(options.ranks, key=lambda rank: -hand.count(rank))
        for rank in likely[:3]:
            natural = hand.of(rank)
            for count in {len(natural), len(natural + jokers)}:
                if count and options.allows(count) and (natural or not options.face_up or len(jokers) == len(hand)):
                    yield Play((natural + jokers)[:count], rank)
            if options.zero:
                yield Play((), rank)
        if not options.face_up:
            yield from self.lies_to_try(options, likely[0])

    def lies_to_try(self, options: TurnOptions, rank: int) -> Iterator[Play]:
        """Yield lies about a rank, with the cards that are least useful."""
        hand = options.hand
        natural, order = hand.of(rank), self.plan.useless_first[rank]
        junk = tuple(card for each in order if each != rank for card in hand.of(each))
        for count in range(1, min(len(junk), 3) + 1):
            for laid in {junk[:count], natural + junk[:count]}:
                if options.allows(len(laid)):
                    yield Play(tuple(sorted(laid)), RANKS[rank])
        for kept in (2, 4, 7) if options.laid else ():  # claim few cards, and lay many
            if options.laid and len(hand) - kept in options.laid and len(junk) > kept:
                yield Play(tuple(sorted(junk[: len(junk) - kept])), RANKS[rank], count=options.counts[0])

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        if table.is_impossible(claim) or table.is_final_window:
            return Call()
        self.look(table)
        lie = self.chance_of_lie(table, claim)
        pays = self.plan.in_turn and lie > MIN_LIE
        if not claim.count or not self.claims or (self.sizes[claim.seat] and not pays):
            return Decline()
        gain, enough = 0.0, table.clock.left_s / 2
        deals = int(DEALS / 2)
        for _ in range(deals):
            rng = random.Random(table.random.getrandbits(32))
            for lied in (True, False):
                call, seed = self.deal(table, rng, lied), rng.getrandbits(32)
                let = call.copy()
                rng.seed(seed)
                call.settle(claim.seat, table.seat, lied=lied)
                with_call = call.play_out()
                rng.seed(seed)
                let.doubt(claim.seat, lied=lied)
                gain += (lie if lied else 1 - lie) * (with_call - let.play_out())
            if table.clock.left_s < enough:
                break
        return Call() if gain / deals > MARGIN else Decline()

    def lie_rate(self, table: Table, claim: Claim) -> float:
        number = min(claim.count, 4)
        lies, shown = self.lies[table.entrants[claim.seat], number]
        return (WILL[number] * OBSERVATIONS + lies) / (OBSERVATIONS + shown)

    def chance_of_lie(self, table: Table, claim: Claim) -> float:
        """Return the chance of a lie: a seat lies because it wants to, or with one card because it must."""
        will, known = self.lie_rate(table, claim), self.known[claim.seat]
        drawn = max(self.sizes[claim.seat] + claim.count - sum(known), 0)
        fitting, own = self.unknown[claim.rank] + self.unknown[JOKER], known[claim.rank] + known[JOKER]
        enough, any_, more = (
            chance(wanted - own, fitting, sum(self.unknown), drawn) for wanted in (claim.count, 1, claim.count + 1)
        )
        must = (
            (1 - any_) ** (1 if self.plan.rules.rotates else 3) if claim.count == 1 and not self.plan.can_pass else 0.0
        )
        lie = will + (1 - will) * must
        true = (1 - will) * (enough - more if self.plan.rules.rotates else enough)
        return lie / (lie + true) if lie else 0.0


def is_lie(move: Move) -> bool:
    return isinstance(move, Play) and not move.is_honest


def kind(event: CheatPlayed) -> int:
    return EMPTIED if event.emptied else min(event.count, 4)


def numbers(cards: Hand | Sequence[Any]) -> list[int]:
    """Return how many cards there are of each rank, jokers last."""
    found = [0] * 14
    for card in cards:
        found[card >> 2] += 1
    return found


def try_move(world: World, move: Move) -> float:
    if isinstance(move, Play):
        laid = numbers(move.cards)
        world.play([(rank, number) for rank, number in enumerate(laid) if number], move.rank, move.claimed)
    else:
        world.pass_()
    return world.play_out()


def chance(wanted: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance that at least `wanted` of `drawn` cards fit, if `fitting` cards of the pool fit."""
    drawn = min(drawn, pool)
    if wanted <= 0 or wanted > min(fitting, drawn):
        return float(wanted <= 0)
    if pool > MANY_CARDS:  # the exact numbers become huge
        expected = drawn * fitting / pool
        return 1 - NormalDist(expected, expected**0.5).cdf(wanted - 0.5)
    hits = range(wanted, min(fitting, drawn) + 1)
    return sum(comb(fitting, each) * comb(pool - fitting, drawn - each) for each in hits) / comb(pool, drawn)


if __name__ == "__main__":
    run(Search)
