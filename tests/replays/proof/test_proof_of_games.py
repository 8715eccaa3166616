"""Replays of every game, preset and option prove what they say, with the arena and without it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheater.rules.game import CHEATER
from arena.match.game import Game
from arena.match.referee.terms import Seating
from tests.games.cheat.rules.strategies import rulesets
from tests.replays.narration.random_match import RandomMatch, fault_alone, faults

STYLES = ["sealed", "live"]
PACE = {"intermission_ms": 0, "turn_ms": 5_000, "call_ms": 2_000}


def match(game: Game, seats: int, seed: int, **rest: Any) -> RandomMatch:
    return RandomMatch(game, seats, seed, **{**PACE, **rest})


def holds(proven: RandomMatch) -> None:
    """Both programs say yes."""
    file = proven.file()
    assert (faults(file), fault_alone(file)) == ([], "")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seating", list(Seating))
def test_every_preset_is_verified(preset, style, seating):
    """Four seats play several games, the second time with leavers."""
    several = {"preset": preset, "style": style, "seating": seating, "games": 3, "options": {"max_turns": 150}}

    holds(match(CHEAT, 4, 1, **several).play())
    holds(match(CHEAT, 4, 2, leaving=0.01, **several).play())


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rules=rulesets(),
    style=st.sampled_from(STYLES),
    seats=st.integers(2, 10),
    seed=st.integers(0, 2**32 - 1),
    leaving=st.sampled_from([0.0, 0.01, 0.2]),
    seating=st.sampled_from(list(Seating)),
    games=st.sampled_from([1, 2]),
)
def test_random_rules_are_verified(rules, style, seats, seed, leaving, seating, games):
    preset, options = rules
    agreed = {"preset": preset, "options": options, "style": style, "seating": seating, "games": games}

    holds(match(CHEAT, seats, seed, leaving=leaving, **agreed).play())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", range(2, 11))
def test_cheater_is_verified(seats, style):
    """Several games; once to a word or the guard, once with leavers."""
    several = {"style": style, "games": 2, "options": {"max_turns": 120}}

    holds(match(CHEATER, seats, 1, **several).play())
    holds(match(CHEATER, seats, 2, leaving=0.02, seating=Seating.ROTATED, **several).play())


@pytest.mark.parametrize("game", [CHEAT, pytest.param(CHEATER, marks=pytest.mark.slow)], ids=["cheat", "cheater"])
def test_unfinished_matches_are_verified(game):
    """They are cut off at any place, cancelled, or have entrants that never came."""
    for steps in range(0, 40, 3):
        holds(match(game, 3, steps, leaving=0.05, games=2).play(steps))
        holds(match(game, 3, steps, games=2).play(steps).cancel())
    holds(match(game, 3, 1, absent=(1,), games=2).play())
    holds(match(game, 3, 1, absent=(0, 2), games=2).play())
