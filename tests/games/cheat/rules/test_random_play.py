"""Random games with any options keep the promises of the rules.

`python -m tests.games.cheat.rules.test_random_play 5000` plays that many random rulesets, with the seeds from 0 on.
"""

import sys
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as fixed_seed
from hypothesis import strategies as st

from arena.games.cheat.rules.events import Event
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.ruleset import Objective
from arena.match.game import Seat, Style
from tests.games.cheat.rules.random_game import RandomGame, apply, new_game
from tests.games.cheat.rules.secrecy import check_secrecy, hand_from_events
from tests.games.cheat.rules.strategies import rulesets

GAMES = {
    "rules": rulesets(),
    "style": st.sampled_from(list(Style)),
    "seat_count": st.integers(2, 10),
    "seed": st.integers(0, 2**32 - 1),
    "leave_chance": st.sampled_from([0.0, 0.0, 0.02, 0.3]),
}


@settings(max_examples=120, deadline=None)
@given(**GAMES)
def test_random_game_keeps_the_rules(
    rules: tuple[str, dict[str, Any]], style: Style, seat_count: int, seed: int, leave_chance: float
) -> None:
    """Cards are conserved, some seat can always act, the game ends, and no seat learns too much or too little.

    A replay of its recorded inputs yields the same game.
    """
    check_random_game(*rules, style, seat_count, seed, leave_chance)


@pytest.mark.parametrize("style", list(Style))
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(3))
def test_every_preset_is_playable_to_its_end(preset: str, style: Style, seed: int) -> None:
    """Each preset takes four seats."""
    check_random_game(preset, {}, style, 4, seed, 0.01)


def check_random_game(
    preset: str, options: dict[str, Any], style: Style, seat_count: int, seed: int, leave_chance: float
) -> None:
    """Play a random game, and check it."""
    game = RandomGame(preset, options, style, seat_count, Random(seed), leave_chance).play()

    places = game.state.places
    assert set(places) <= set(range(1, seat_count + 1))
    if game.state.compiled_rules.rules.objective is not Objective.LAST_IN_LOSES:
        assert min(places) == 1
    assert CHEAT.open_groups(game.state) == ()
    assert game.state.landed <= game.state.compiled_rules.max_turns
    for seat in range(seat_count):
        assert hand_from_events(game.events, Seat(seat)) == game.state.hands[seat]
    for event in game.events:
        check_secrecy(event)
        assert CHEAT.describe_event(event)
    assert replay_events(game, preset, options, style, seat_count) == game.events


def replay_events(game: RandomGame, preset: str, options: dict[str, Any], style: Style, seat_count: int) -> list[Event]:
    """Return the events that the recorded inputs of a game produce."""
    state = new_game(preset, options, style, seat_count, game.number)
    events: list[Event] = []
    for what, value in game.inputs:
        step = apply(state, what, value)
        state = step.state
        events += step.events
    assert CHEAT.outcome(state) == CHEAT.outcome(game.state)
    return events


def play_many(count: int, seed: int = 0) -> None:
    """Play a number of random rulesets, more than a test has time for."""

    @fixed_seed(seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(**GAMES)
    def play(**game: Any) -> None:
        preset, options = game.pop("rules")
        check_random_game(preset, options, **game)

    play()
    print(f"{count} random rulesets played to their ends")


if __name__ == "__main__":
    play_many(*map(int, sys.argv[1:]))
