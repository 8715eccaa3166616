"""Rulesets from options: accepted and refused values, with all errors reported at once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import OptionsError, UnknownNameError
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.ruleset import CountStep, RankStart, Ruleset
from arena.games.cheat.rules.ruleset_options import PACE_OPTIONS
from arena.match.game import Style
from tests.games.cheat.rules.strategies import rulesets


def faults(options: dict[str, Any]) -> list[str]:
    """Return the fields that are refused."""
    with pytest.raises(OptionsError) as refused:
        CHEAT.build_ruleset("standard", options)
    return [fault.field for fault in refused.value.faults]


def test_standard_ruleset_has_the_defaults() -> None:
    """Spec A2 lists them."""
    assert CHEAT.build_ruleset("standard", {}) == Ruleset()
    assert CHEAT.ruleset_options(Ruleset()) == {
        "players_min": 2,
        "players_max": 10,
        "decks": 1,
        "jokers_per_deck": 2,
        "first_mover": "random",
        "deal": "round_robin",
        "extra_cards_to": "first_dealt",
        "check": "public",
        "count": ["same", "more", "less", "zero"],
        "rank_start": ["A", "others", "K"],
        "rank_next": ["same", "up1", "up1_wrap", "down1", "down1_wrap"],
        "rank_mode": "step",
        "min_count": 1,
        "max_count": "none",
        "passing": "forced",
        "exhausted_leader": "last_mover",
        "call_mode": "window",
        "any_caller": True,
        "caller_priority": "first",
        "believe": False,
        "banish_on_new_trick": False,
        "success_new_trick": False,
        "failure_new_trick": False,
        "success_next": "no_change",
        "failure_next": "no_change",
        "count_lies": False,
        "sizes_visible": True,
        "opening_face_up": False,
        "honest_win": False,
        "objective": "places",
        "win_resets_trick": False,
        "max_turns": 2000,
    }


CHANGES: dict[str, dict[str, Any]] = {
    "standard": {},
    "folk": {
        "decks": "none",
        "jokers_per_deck": 0,
        "first_mover": "left_of_dealer",
        "extra_cards_to": "last_dealt",
        "count": ["same", "more", "less"],
        "caller_priority": "nearest_clockwise",
        "success_new_trick": True,
        "failure_new_trick": True,
        "success_next": "caller",
        "count_lies": True,
        "sizes_visible": False,
        "opening_face_up": True,
        "objective": "first_out_wins",
        "win_resets_trick": True,
    },
    "rank_lock": {
        "first_mover": "first_seat",
        "count": ["same", "more", "less"],
        "rank_next": ["same"],
        "passing": "pass_turn",
        "call_mode": "turn_action",
        "any_caller": False,
        "banish_on_new_trick": True,
        "success_new_trick": True,
        "failure_new_trick": True,
        "success_next": "caller",
        "failure_next": "challenged",
        "honest_win": True,
        "objective": "first_out_wins",
    },
    "ascending": {
        "players_min": 4,
        "players_max": 4,
        "jokers_per_deck": 0,
        "first_mover": "first_seat",
        "rank_mode": "rotation",
        "objective": "first_out_wins",
    },
}


@pytest.mark.parametrize("preset", CHANGES)
def test_preset_consists_of_its_differences(preset: str) -> None:
    """The second table of spec A2 lists them."""
    described, defaults = CHEAT.ruleset_options(CHEAT.build_ruleset(preset, {})), CHEAT.ruleset_options(Ruleset())

    assert {name: value for name, value in described.items() if value != defaults[name]} == CHANGES[preset]
    assert set(PRESETS) == set(CHANGES)


@pytest.mark.parametrize(
    ("preset", "seats", "decks", "most"),
    [
        ("standard", 2, 1, 6),
        ("standard", 10, 1, 6),
        ("folk", 2, 1, 4),
        ("folk", 4, 1, 4),
        ("folk", 5, 2, 8),
        ("folk", 10, 2, 8),
        ("rank_lock", 6, 1, 6),
        ("ascending", 4, 1, 4),
    ],
)
def test_decks_and_largest_claim_follow_from_the_seats(preset: str, seats: int, decks: int, most: int) -> None:
    """Only folk takes a second pack, above four seats; a claim covers at most a whole rank and all jokers."""
    rules = CHEAT.build_ruleset(preset, {})

    assert (rules.decks_for(seats), rules.max_claim(seats)) == (decks, most)
    assert CHEAT.build_ruleset(preset, {"decks": 7}).decks_for(seats) == 7
    assert CHEAT.build_ruleset(preset, {"max_count": 3}).max_claim(seats) == 3


def test_count_lies_hide_sizes_unless_sizes_are_requested() -> None:
    """A ruleset with both must say so explicitly."""
    assert not CHEAT.build_ruleset("standard", {"count_lies": True}).sizes_visible
    assert CHEAT.build_ruleset("standard", {"count_lies": True, "sizes_visible": True}).sizes_visible
    assert not CHEAT.build_ruleset("standard", {"sizes_visible": False}).sizes_visible
    assert CHEAT.build_ruleset("folk", {"sizes_visible": True}).sizes_visible
    assert CHEAT.build_ruleset("folk", {"count_lies": False}).sizes_visible


@given(rulesets(), st.sampled_from(sorted(PRESETS)))
def test_described_ruleset_reads_back(ruleset: tuple[str, dict[str, Any]], other: str) -> None:
    """Plain values restore the same ruleset, whatever preset reads them."""
    rules = CHEAT.build_ruleset(*ruleset)

    assert CHEAT.build_ruleset(ruleset[0], CHEAT.ruleset_options(rules)) == rules
    assert CHEAT.build_ruleset(other, CHEAT.ruleset_options(rules)) == rules


def test_lists_are_sets() -> None:
    """Their order has no effect. A list that must not be empty is filled with all words."""
    rules = CHEAT.build_ruleset("standard", {"count": ["zero", "less"], "rank_start": [], "rank_next": []})

    assert rules.count == (CountStep.LESS, CountStep.ZERO)
    assert rules.rank_start == tuple(RankStart)
    assert rules.rank_next == ()
    assert CHEAT.build_ruleset("standard", {"count": ["zero"]}).count == tuple(CountStep)
    assert CountStep.ZERO not in CHEAT.build_ruleset("standard", {"count": []}).count


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
        ("first_mover", "dealer"),
        ("deal", "poker"),
        ("extra_cards_to", True),
        ("rank_mode", "up"),
        ("min_count", 0),
        ("min_count", 1507),
        ("max_count", 0),
        ("max_count", 1507),
        ("max_count", 7),
        ("max_count", True),
        ("max_count", "6"),
        ("call_mode", "never"),
        ("any_caller", 1),
        ("any_caller", "true"),
        ("caller_priority", "last"),
        ("believe", None),
        ("banish_on_new_trick", 0),
        ("success_new_trick", "yes"),
        ("failure_new_trick", []),
        ("success_next", "mover"),
        ("failure_next", "none"),
        ("count_lies", 2),
        ("sizes_visible", "hidden"),
        ("opening_face_up", 1.0),
        ("honest_win", "honest"),
        ("objective", "win"),
        ("win_resets_trick", None),
        ("seat_order", "given"),
        ("players", 4),
        ("unheard_of", 1),
    ],
)
def test_value_out_of_range_is_refused_by_its_field(field: str, value: object) -> None:
    """No value is coerced into another."""
    assert faults({field: value}) == [field]


def test_all_errors_are_reported_at_once_in_field_order() -> None:
    """Unknown names come last."""
    assert faults({"huh": 1, "max_turns": 0, "decks": 0, "check": "x"}) == ["decks", "check", "max_turns", "huh"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"opening_face_up": True, "rank_mode": "rotation"}, "opening_face_up"),
        ({"opening_face_up": True, "rank_start": ["A"]}, "opening_face_up"),
        ({"opening_face_up": True, "rank_start": ["A", "K"]}, "opening_face_up"),
        ({"min_count": 7}, "min_count"),
        ({"min_count": 5, "jokers_per_deck": 0}, "min_count"),
        ({"min_count": 4, "max_count": 3}, "min_count"),
        ({"call_mode": "turn_action"}, "call_mode"),
        ({"call_mode": "turn_action", "any_caller": True}, "call_mode"),
        ({"max_count": 13, "decks": 2}, "max_count"),
        ({"players_max": 53, "jokers_per_deck": 0}, "players_max"),
        ({"players_max": 55}, "players_max"),
    ],
)
def test_conflicting_options_are_refused_by_their_field(options: dict[str, Any], field: str) -> None:
    """Spec A2 refuses these combinations; one change makes each of them playable."""
    assert faults(options) == [field]


@pytest.mark.parametrize(
    "options",
    [
        {"opening_face_up": True, "rank_start": []},
        {"opening_face_up": True, "rank_start": ["A", "others", "K"]},
        {"min_count": 6},
        {"min_count": 4, "jokers_per_deck": 0},
        {"min_count": 3, "max_count": 3},
        {"max_count": 12, "decks": 2},
        {"max_count": 1506, "decks": 251},
        {"call_mode": "turn_action", "any_caller": False},
        {"players_max": 52, "jokers_per_deck": 0},
        {"min_count": 8, "decks": "none", "players_min": 5, "players_max": 6, "jokers_per_deck": 0},
    ],
)
def test_values_just_within_bounds_are_accepted(options: dict[str, Any]) -> None:
    """The bounds themselves are allowed."""
    assert CHEAT.build_ruleset("standard", options) != Ruleset()


def test_all_conflicts_are_reported_in_the_order_of_the_specification() -> None:
    """Face-up opening, smallest count, calls, seats."""
    several = {"opening_face_up": True, "rank_mode": "rotation", "min_count": 9, "call_mode": "turn_action"}

    assert faults({**several, "players_max": 60}) == ["opening_face_up", "min_count", "call_mode", "players_max"]


def test_counts_are_checked_for_the_seats_where_decks_depend_on_them() -> None:
    """Eight of a rank can be claimed with two packs, so only with five seats or more."""
    rules = CHEAT.build_ruleset("folk", {"min_count": 8})
    CHEAT.check_seats(rules, 5, Style.SEALED)

    for options, field in (({"min_count": 8}, "min_count"), ({"max_count": 12}, "max_count")):
        with pytest.raises(OptionsError) as refused:
            CHEAT.check_seats(CHEAT.build_ruleset("folk", options), 4, Style.LIVE)
        assert [fault.field for fault in refused.value.faults] == [field]
    with pytest.raises(OptionsError, match="min_count"):
        CHEAT.build_ruleset("folk", {"min_count": 9})


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_ascending_needs_four_seats(seats: int) -> None:
    """Fewer and more are refused."""
    rules = CHEAT.build_ruleset("ascending", {})
    CHEAT.check_seats(rules, 4, Style.LIVE)

    with pytest.raises(OptionsError):
        CHEAT.check_seats(rules, seats, Style.LIVE)


@pytest.mark.parametrize("field", PACE_OPTIONS)
def test_times_belong_to_the_pace(field: str) -> None:
    """A ruleset has none."""
    with pytest.raises(OptionsError, match="pace"):
        CHEAT.build_ruleset("standard", {field: 5})


def test_every_seat_must_be_dealt_a_card() -> None:
    """52 cards are too few for 53 seats."""
    assert faults({"players_max": 53, "jokers_per_deck": 0}) == ["players_max"]
    assert faults({"players_min": 6, "players_max": 5}) == ["players_min"]
    assert CHEAT.build_ruleset("standard", {"players_max": 54}).players_max == 54


def test_unknown_preset_is_refused_with_the_known_ones() -> None:
    """No default takes its place."""
    with pytest.raises(UnknownNameError, match="standard"):
        CHEAT.build_ruleset("nobody", {})


@pytest.mark.parametrize(("seats", "field"), [(2, "players_min"), (6, "players_max")])
@pytest.mark.parametrize("style", list(Style))
def test_number_of_seats_is_bounded(seats: int, field: str, style: Style) -> None:
    """The bounds themselves are allowed."""
    rules = CHEAT.build_ruleset("standard", {"players_min": 3, "players_max": 5})
    CHEAT.check_seats(rules, 3, style)
    CHEAT.check_seats(rules, 5, style)

    with pytest.raises(OptionsError) as refused:
        CHEAT.check_seats(rules, seats, style)

    assert [fault.field for fault in refused.value.faults] == [field]


def test_unhashable_and_incomparable_values_are_refused() -> None:
    """A file may contain any value."""
    assert faults({"count": [{}, []], "check": [], "decks": {}}) == ["decks", "check", "count"]


def test_single_count_option_adds_no_other() -> None:
    """Each option is tested alone."""
    for word in ("same", "more", "less"):
        assert [step.value for step in CHEAT.build_ruleset("standard", {"count": [word]}).count] == [word]
