"""Rulesets from options: what is read, what is refused, and that everything is said at once."""

from typing import Any

import pytest
from hypothesis import given

from arena.errors import OptionNotAvailableError, OptionsError, UnknownNameError
from arena.rules.cheat.game import CHEAT
from arena.rules.cheat.options import LATER_OPTIONS, PACE_OPTIONS
from arena.rules.cheat.ruleset import CountStep, RankStart, Ruleset
from arena.rules.game import Style
from tests.rules.cheat.strategies import standard_options


def faults(options: dict[str, Any]) -> list[str]:
    """Fields that are refused."""
    with pytest.raises(OptionsError) as refused:
        CHEAT.ruleset("standard", options)
    return [fault.field for fault in refused.value.faults]


def test_the_standard_ruleset_is_the_defaults() -> None:
    """As spec A2 lists them."""
    assert CHEAT.ruleset("standard", {}) == Ruleset()
    assert CHEAT.describe(Ruleset()) == {
        "players_min": 2,
        "players_max": 10,
        "decks": 1,
        "jokers_per_deck": 2,
        "check": "public",
        "count": ["same", "more", "less", "zero"],
        "rank_start": ["A", "others", "K"],
        "rank_next": ["same", "up1", "up1_wrap", "down1", "down1_wrap"],
        "passing": "forced",
        "exhausted_leader": "last_mover",
        "max_turns": 2000,
    }


@given(standard_options())
def test_a_described_ruleset_is_read_back(options: dict[str, Any]) -> None:
    """The same one, from plain values."""
    rules = CHEAT.ruleset("standard", options)

    assert CHEAT.ruleset("standard", CHEAT.describe(rules)) == rules


def test_lists_are_sets() -> None:
    """Their order tells nothing; an empty choice that cannot be meant is filled."""
    rules = CHEAT.ruleset("standard", {"count": ["zero", "less"], "rank_start": [], "rank_next": []})

    assert rules.count == (CountStep.LESS, CountStep.ZERO)
    assert rules.rank_start == tuple(RankStart)
    assert rules.rank_next == ()
    assert CHEAT.ruleset("standard", {"count": ["zero"]}).count == tuple(CountStep)
    assert CountStep.ZERO not in CHEAT.ruleset("standard", {"count": []}).count


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("players_min", 1),
        ("players_max", 101),
        ("decks", 0),
        ("decks", 252),
        ("decks", "1"),
        ("decks", True),
        ("decks", 1.0),
        ("jokers_per_deck", 1),
        ("jokers_per_deck", False),
        ("check", "nobody"),
        ("check", None),
        ("count", "same"),
        ("count", ["same", "same"]),
        ("count", ["equal"]),
        ("count", [["same"]]),
        ("rank_start", ["2"]),
        ("rank_next", ["up3"]),
        ("passing", "never"),
        ("exhausted_leader", 1),
        ("max_turns", 0),
        ("unheard_of", 1),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_field(field: str, value: object) -> None:
    """No value is bent into another."""
    assert faults({field: value}) == [field]


def test_every_fault_is_reported_at_once_in_the_order_of_the_fields() -> None:
    """Unknown names come last."""
    assert faults({"huh": 1, "max_turns": 0, "decks": 0, "check": "x"}) == ["decks", "check", "max_turns", "huh"]


@pytest.mark.parametrize("field", LATER_OPTIONS)
def test_an_option_of_later_versions_says_so(field: str) -> None:
    """It is told apart from a mistake."""
    with pytest.raises(OptionsError, match="not available yet") as refused:
        CHEAT.ruleset("standard", {field: True})

    assert isinstance(refused.value.faults[0], OptionNotAvailableError)


@pytest.mark.parametrize("field", PACE_OPTIONS)
def test_times_belong_to_the_pace(field: str) -> None:
    """A ruleset has none."""
    with pytest.raises(OptionsError, match="pace"):
        CHEAT.ruleset("standard", {field: 5})


def test_every_seat_must_be_dealt_a_card() -> None:
    """52 cards for 53 seats are too few."""
    assert faults({"players_max": 53, "jokers_per_deck": 0}) == ["players_max"]
    assert faults({"players_min": 6, "players_max": 5}) == ["players_min"]
    assert CHEAT.ruleset("standard", {"players_max": 54}).players_max == 54


def test_an_unknown_preset_is_refused_with_those_known() -> None:
    """No default takes its place."""
    with pytest.raises(UnknownNameError, match="standard"):
        CHEAT.ruleset("nobody", {})


@pytest.mark.parametrize(("seats", "field"), [(2, "players_min"), (6, "players_max")])
@pytest.mark.parametrize("style", list(Style))
def test_the_number_of_seats_is_checked(seats: int, field: str, style: Style) -> None:
    """Against both bounds, which themselves are allowed."""
    rules = CHEAT.ruleset("standard", {"players_min": 3, "players_max": 5})
    CHEAT.check_seats(rules, 3, style)
    CHEAT.check_seats(rules, 5, style)

    with pytest.raises(OptionsError) as refused:
        CHEAT.check_seats(rules, seats, style)

    assert [fault.field for fault in refused.value.faults] == [field]


def test_values_that_cannot_be_hashed_or_compared_are_refused() -> None:
    """Whatever a file may hold."""
    assert faults({"count": [{}, []], "check": [], "decks": {}}) == ["decks", "check", "count"]


def test_one_count_alone_stays_alone() -> None:
    """Each alone."""
    for word in ("same", "more", "less"):
        assert [step.value for step in CHEAT.ruleset("standard", {"count": [word]}).count] == [word]
