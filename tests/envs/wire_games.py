"""Games over the wire whose bots choose by arrays, and the same games in an environment."""

from collections import defaultdict, deque
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.envs.card_stream import CardStream
from arena.envs.env_spec import EnvSpec
from arena.envs.learner_tables import random_opponent
from arena.envs.policy_bot import build_bot_class
from arena.envs.table import NOBODY
from arena.games.cheat.arrays.card_counts import count_hand, count_to_bytes
from arena.games.cheat.rules.state import State
from arena.games.cheat.rules.tricks import count_pile
from arena.match.deal.practice_seed import practice_seed
from arena.match.game import Seat
from arena.match.referee.inputs import Leave
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms
from tests.support.wire_match import WireMatch

GAMES = 2
NOW = Instant(0)
Page = tuple[bytes, bytes, int]
"""Observation, mask and action."""
Diary = dict[tuple[int, int], deque[Page]]
"""What each seat saw and did, by game and seat."""


def make_terms(spec: EnvSpec) -> Terms:
    return Terms(
        game=spec.game,
        preset=spec.preset,
        ruleset=spec.ruleset,
        pace=replace(Pace.sealed_defaults(), no_deadlines=True),
        entrants=tuple(f"bot {index}" for index in range(spec.seats)),
        game_count=GAMES,
        rated=False,
    ).check()


def diarist(spec: EnvSpec, diary: Diary) -> type:
    """Return the class of a bot that plays at random, and writes down the arrays of every choice."""
    base: Any = build_bot_class(random_opponent, spec.game.name, spec.encoding)

    class Diarist(base):  # type: ignore[misc]  # it is built at run time
        def _decide(self, table):
            self._pages = diary[table.game, table.seat]
            return super()._decide(table)

        def _choose(self, observation, mask):
            action = super()._choose(observation, mask)
            self._pages.append((observation, mask, action))
            return action

    return Diarist


def find_differences(spec: EnvSpec, seed: int) -> list[str]:
    """Play over the wire, and then the same in an environment. Return the rows that ever differ for a decision."""
    diary: Diary = defaultdict(deque)
    with CoroutineRunner() as runner:
        bots = [diarist(spec, diary)] * spec.seats
        WireMatch(make_terms(spec), practice_seed(seed), bots, runner, partial(Instant, 0)).play()
    found: list[str] = []
    for number in range(GAMES):
        table = spec.new_table()
        table.begin_game(CardStream(seed).chance, number)
        while (seat := table.seat) != NOBODY:
            observation, mask, action = diary[number, seat].popleft()
            found += differing_rows(spec, observation, table.observe(seat))
            if mask != table.mask():
                return [*found, "mask"]
            table.choose(action)
        assert not any(diary[number, seat] for seat in range(spec.seats))
    return found


def differing_rows(spec: EnvSpec, one: bytes, other: bytes) -> list[str]:
    """Return the names of the rows in which two observations differ."""
    if one == other:
        return []
    layout = spec.arrays.observation
    return [row.name for row in layout.rows if one[layout.slice_of(row.name)] != other[layout.slice_of(row.name)]]


class ShakenMatch(WireMatch):
    """A match whose bots lose their memory and get snapshots, and leave. What they see is compared with the state."""

    def __init__(self, spec: EnvSpec, seed: int, runner: CoroutineRunner, losses: float, leaves: float) -> None:
        self.compared = 0
        self.differences: set[str] = set()
        """The rows of observations that have differed, and `mask`."""
        self._spec = spec
        self._random = Random(seed)
        self._losses, self._leaves = losses, leaves
        bots = [self._watched_bot() for _ in range(spec.seats)]
        super().__init__(make_terms(spec), practice_seed(seed), bots, runner, partial(Instant, 0))

    def _watched_bot(self):
        match, spec = self, self._spec
        base: Any = build_bot_class(random_opponent, spec.game.name, spec.encoding)

        class Watched(base):  # type: ignore[misc]  # as above
            def _decide(self, table):
                self._table = table
                self._is_first = True
                return super()._decide(table)

            def _choose(self, observation, mask):
                if self._is_first:
                    match.compare(self._table, observation, mask)
                self._is_first = False
                return super()._choose(observation, mask)

        return Watched()

    def compare(self, table, observation: bytes, mask: bytes) -> None:
        """Compare what a bot sees with the true state, unless it has yet to receive a fact, as when others leave."""
        current = self._feed.sequence_of(EntrantIndex(table.entrant))
        if self._seats[table.entrant][1].sequence not in (0, current):  # 0: within a snapshot
            return
        playing, spec, seat = self._table.referee.current_game, self._spec, Seat(table.seat)
        assert playing is not None
        state = playing.state
        truth: Any = spec.arrays.seat_arrays(spec.ruleset, spec.seats, spec.encoding)
        questions = [each for group in spec.game.open_groups(state) for each in group.questions if each.seat == seat]
        if spec.game.name == "cheat":
            memory = truth.memory
            memory.hands[seat] = count_hand(state.hands[seat])
            memory.pile_size, memory.banished_size = sum(count_pile(state)), sum(state.banished)
        truth.ask(state, questions[0])
        self.compared += 1
        self.differences.update(differing_rows(spec, observation, truth.observe(state, seat)))
        self.differences.update(["mask"] if mask != truth.mask() else [])
        if spec.game.name == "cheat":
            self._check_knowledge(observation, state, seat)

    def _check_knowledge(self, observation: bytes, state: State, seat: Seat) -> None:
        """Check that cards that the seat knows to be somewhere are there."""
        layout, seats = self._spec.arrays.observation, self._spec.seats
        hands = [state.hands[(seat + step) % seats] for step in range(1, seats)]
        places = {"known": hands, "pile_known": [count_pile(state)], "banished_known": [state.banished]}
        for name, piles in places.items():
            held = b"".join([count_to_bytes(count_hand(pile)) for pile in piles])
            known = observation[layout.slice_of(name)][: len(held)]
            if any(map(int.__gt__, known, held)):
                self.differences.add(f"wrong {name}")

    def _deliver(self) -> None:
        if self._table.referee.current_game is not None:
            entrant = EntrantIndex(self._random.randrange(len(self._seats)))
            if self._random.random() < self._leaves:
                self._table.apply(Leave(NOW, NOW, entrant))
            if self._random.random() < self._losses:
                self._seats[entrant] = self._seat_bot(entrant, self._watched_bot(), None)
        super()._deliver()
