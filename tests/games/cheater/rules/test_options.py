"""Options read into rulesets, and refused by name (spec B1, B7)."""

from typing import Any

import pytest

from arena.errors import OptionsError, UnknownNameError
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.ruleset import Ruleset
from arena.match.game import Style


def test_preset_has_the_defaults() -> None:
    assert CHEATER.presets == ("cheater",)
    assert CHEATER.build_ruleset("cheater", {}) == Ruleset(players_min=2, players_max=10, titles=True, max_turns=2000)


def test_described_ruleset_reads_back() -> None:
    options = {"players_min": 3, "players_max": 4, "titles": False, "max_turns": 7}

    rules = CHEATER.build_ruleset("cheater", options)

    assert CHEATER.ruleset_options(rules) == options
    assert CHEATER.build_ruleset("cheater", CHEATER.ruleset_options(rules)) == rules


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"players_min": 1}, ["players_min"]),
        ({"players_max": 11}, ["players_max"]),
        ({"players_min": 6, "players_max": 5}, ["players_min"]),
        ({"max_turns": 0}, ["max_turns"]),
        ({"max_turns": 1_000_001}, ["max_turns"]),
        ({"max_turns": True}, ["max_turns"]),
        ({"max_turns": "7"}, ["max_turns"]),
        ({"titles": 1}, ["titles"]),
        ({"titles": None, "players_min": 0}, ["players_min", "titles"]),
        ({"packs": 2}, ["packs"]),
        ({"turn_time": 20}, ["turn_time"]),
        ({"decks": 1}, ["decks"]),
    ],
)
def test_every_refused_option_is_named(options: dict[str, Any], fields: list[str]) -> None:
    with pytest.raises(OptionsError) as refused:
        CHEATER.build_ruleset("cheater", options)

    assert [fault.field for fault in refused.value.faults] == fields


def test_unknown_preset_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        CHEATER.build_ruleset("standard", {})


@pytest.mark.parametrize(("seats", "field"), [(1, "players_min"), (2, None), (10, None), (11, "players_max")])
@pytest.mark.parametrize("style", Style)
def test_two_to_ten_seats_can_play(seats: int, field: str | None, style: Style) -> None:
    rules = CHEATER.build_ruleset("cheater", {})
    if field is None:
        CHEATER.check_seats(rules, seats, style)
        return

    with pytest.raises(OptionsError) as refused:
        CHEATER.check_seats(rules, seats, style)

    assert refused.value.faults[0].field == field
