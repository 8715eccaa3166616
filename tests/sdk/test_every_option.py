"""Whole games under random rulesets: at every prompt the table equals the server's view for the seat.

Some bots lose their memory now and then and restart from a snapshot; some leave.
"""

import os
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.errors import OptionsError
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.match.referee.facts import StrikeKind
from arena.match.referee.inputs import Leave
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Seating, Terms
from cheatarena import Believe, Bot, Call, Decline, Table
from tests.games.cheat.rules.strategies import rulesets
from tests.sdk.truth import check
from tests.support.wire_match import WireMatch

MAX_TURNS = 500
"""Turns of a game of random players, which rarely ends by itself: what comes later repeats what was there before."""
GAMES = {
    "rules": rulesets(),
    "seat_count": st.integers(2, 7),
    "seed": st.integers(0, 2**32 - 1),
    "loss_chance": st.sampled_from([0.0, 0.0, 0.05, 0.5]),
    "leave_chance": st.sampled_from([0.0, 0.0, 0.0, 0.05]),
}


@pytest.mark.slow
@settings(
    max_examples=int(os.environ.get("RANDOM_RULES", "30")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(**GAMES)
def test_tables_are_right_whatever_the_rules(
    rules: tuple[str, dict[str, Any]], seat_count: int, seed: int, loss_chance: float, leave_chance: float
) -> None:
    """No answer is refused, and no table says anything that is wrong or less than it could.

    RANDOM_RULES sets the number of random rulesets.
    """
    play(*rules, seat_count, seed, loss_chance, leave_chance)


@pytest.mark.slow
@pytest.mark.parametrize("loss_chance", [0.0, 0.3])
@pytest.mark.parametrize("preset", PRESETS)
def test_tables_are_right_under_every_preset(preset: str, loss_chance: float) -> None:
    play(preset, {"max_turns": MAX_TURNS}, 4, 0, loss_chance, 0.0)


def test_refused_bot_chooses_among_the_current_offers():
    """If the mover left after the prompt, there is no move to call."""
    options = {
        "max_turns": 150,
        "rank_mode": "step",
        "decks": 2,
        "count_lies": True,
        "win_resets_trick": False,
        "honest_win": False,
        "opening_face_up": False,
        "sizes_visible": False,
        "first_mover": "random",
        "objective": "places",
        "count": ["same"],
        "players_min": 2,
        "players_max": 10,
    }
    play("rank_lock", options, 4, 107, 0.0, 0.05)


class Wanderer(Bot):
    """Reads the whole table, and then takes a random choice."""

    def __init__(self, match: "WatchedMatch") -> None:
        self._match = match

    def turn(self, table, options):
        self._match.look(table)
        rng = self._match.rng
        choices = [
            options.random_play(rng),
            options.smallest_lie(),
            options.largest_honest(),
            options.largest_honest(jokers=False),
            options.pass_(),
            options.zero_play(),
            rng.choice(options.honest_plays() or [None]),
            rng.choice(options.plays_of(rng.sample(tuple(table.hand), rng.randint(1, len(table.hand)))) or [None]),
        ]
        return rng.choice([choice for choice in choices if choice is not None])

    def call_window(self, table, claim):
        self._match.look(table)
        chance = self._match.rng.random()
        if table.can_believe and chance < 0.3:
            return Believe()
        return Call() if chance > 0.8 or table.is_impossible(claim) else Decline()

    def cut(self, table, options):
        self._match.look(table)
        return self._match.rng.choice([options.even(), options.random_cut(self._match.rng)])

    def choose(self, table, options):
        self._match.look(table)
        rng = self._match.rng
        return rng.choice([options.thinnest(), options.thickest(), options.random_choice(rng)])


class WatchedMatch(WireMatch):
    """A match in which the test compares tables with the true state, and seats reconnect without state or leave."""

    def __init__(
        self, terms: Terms, rng: Random, workshop: CoroutineRunner, loss_chance: float, leave_chance: float
    ) -> None:
        self.rng = rng
        self._workshop = workshop
        self._loss_chance = loss_chance
        self._leave_chance = leave_chance
        bots = [Wanderer(self) for _ in terms.entrants]
        super().__init__(terms, rng.randbytes(32), bots, workshop, lambda: Instant(0))

    def look(self, table: Table) -> None:
        """Compare a table with the true state, unless its seat has yet to receive a fact, as when others leave."""
        seat = self._seats[table.entrant][1]
        if seat.sequence in (0, self._feed.sequence_of(EntrantIndex(table.entrant))):  # 0: within a snapshot
            playing = self._table.referee.current_game
            assert playing is not None
            check(table, playing.state)

    def _deliver(self) -> None:
        referee, rng = self._table.referee, self.rng
        if referee.current_game is not None and rng.random() < self._leave_chance:
            leaver = EntrantIndex(rng.randrange(len(self._seats)))
            self._table.apply(Leave(Instant(0), Instant(0), leaver))
        if referee.current_game is not None and rng.random() < self._loss_chance:
            self._forget(rng.randrange(len(self._seats)))
        super()._deliver()

    def _forget(self, entrant: int) -> None:
        """Reconnect an entrant without state, so that it receives a snapshot."""
        self._seats[entrant] = self._seat_bot(EntrantIndex(entrant), Wanderer(self), None)


def play(
    preset: str, options: dict[str, Any], seat_count: int, seed: int, loss_chance: float, leave_chance: float
) -> None:
    """Play two games between bots that read the whole table."""
    ruleset = CHEAT.build_ruleset(preset, options)
    terms = Terms(
        game=CHEAT,
        preset=preset,
        ruleset=ruleset,
        pace=replace(Pace.sealed_defaults(), no_deadlines=True),
        entrants=tuple(f"bot {index}" for index in range(seat_count)),
        game_count=2,
        seating=Seating.ROTATED,
        rated=False,
    )
    try:
        terms.check()
    except OptionsError:
        return  # the preset does not take this many seats
    with CoroutineRunner() as workshop:
        match = WatchedMatch(terms, Random(seed), workshop, loss_chance, leave_chance)
        match.play()
        illegal = [conduct.strikes[StrikeKind.ILLEGAL] for conduct in match._table.referee.entrant_records]
        assert leave_chance or not any(illegal)  # a call may cross with the leaving of the seat that it is meant for
