"""The scenario files, as `arena rules run` plays them."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.games.catalogue import scenario_adapter_of
from arena.games.scenarios import CaseVerdict, run_case

FILE = Path(__file__).parents[4] / "docs/rules/cases_open.json"
CASES = [case for case in json.loads(FILE.read_text(encoding="utf-8"))["cases"] if case["game"] == "cheater"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_scenario_ends_as_written(case: dict[str, Any]) -> None:
    result = run_case(case, scenario_adapter_of)

    assert result.verdict is CaseVerdict.PASSED, [str(difference) for difference in result.differences]


def test_no_scenario_is_left_out() -> None:
    assert len(CASES) == 29


HANDS = [["RC", "RH", "RE", "RA", "YT", "TAKE", "SHOW"], ["YC", "YH", "YE", "YA", "RT", "BUST", "HIDE"]]


def case(*steps: dict[str, Any], expect: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Build a case for two seats; seat 1 begins."""
    made: dict[str, Any] = {
        "id": "Z01",
        "title": "made here",
        "game": "cheater",
        "preset": "cheater",
        "options": {},
        "hands": HANDS,
    }
    made |= {"start": 1, "draw": ["PE", "PA", "PR"], "discard": ["BT"], "steps": list(steps), "expect": expect}
    return made | rest


ROLL = {"seat": 1, "do": "roll", "dice": [1, 2]}
BUST = {"seat": 1, "do": "play", "card": "BUST", "target": 0}


def test_bust_die_may_come_with_the_time_out_that_needs_it() -> None:
    """The victim's time runs out, the die is rolled; the attacker's time runs out too, and no card is discarded."""
    steps: list[dict[str, Any]] = [
        ROLL,
        BUST,
        {"do": "timeout", "die": 4, "expect": {"phase": "pick"}},
        {"do": "timeout"},
    ]

    made = case(*steps, expect={"discard": ["BT", "BUST"], "draw_size": 2, "to_move": 0})

    assert run_case(made, scenario_adapter_of).differences == ()


def test_time_out_of_the_turn_draws_and_discards_at_once() -> None:
    made = case(ROLL, {"do": "timeout"}, expect={"discard": ["BT", "PE"], "draw_size": 2, "to_move": 0})

    assert run_case(made, scenario_adapter_of).differences == ()


def test_leavers_cards_enter_the_draw_pile_as_the_case_says() -> None:
    """The leaver's attack ends, and the other of the two seats has won."""
    third = ["BC", "BH", "BE", "BA", "PT", "WILD", "TAKE"]
    order = ["RC", "PA", "RH", "RE", "PE", "RA", "YT", "TAKE", "PR", "SHOW"]
    leave = {"seat": 0, "do": "leave", "draw": order}

    made = case(ROLL, leave, expect={"draw": order, "phase": "act", "places": {"0": 3}}, hands=[*HANDS, third])

    assert run_case(made, scenario_adapter_of).differences == ()


def test_leave_before_the_roll_takes_effect_at_once() -> None:
    """The leaver's cards are in the draw pile before the next seat rolls; a leaver in turn loses its turn."""
    third = ["BC", "BH", "BE", "BA", "PT", "WILD", "TAKE"]
    order = ["PA", "YC", "YH", "PE", "YE", "YA", "RT", "BUST", "PR", "HIDE"]
    gone = {"places": {"1": 3}, "draw": order, "to_move": 2, "phase": "roll"}
    leave = {"seat": 1, "do": "leave", "draw": order, "expect": gone}

    made = case(leave, {"seat": 2, "do": "roll", "dice": [1, 2]}, expect={"phase": "act"}, hands=[*HANDS, third])

    assert run_case(made, scenario_adapter_of).differences == ()


def test_bystander_leaves_before_the_roll_of_another_seat() -> None:
    third = ["BC", "BH", "BE", "BA", "PT", "WILD", "TAKE"]
    leave = {"seat": 0, "do": "leave", "expect": {"places": {"0": 3}, "draw_size": 10, "to_move": 1, "phase": "roll"}}

    made = case(leave, ROLL, expect={"phase": "act", "to_move": 1, "draw_size": 10}, hands=[*HANDS, third])

    assert run_case(made, scenario_adapter_of).differences == ()


def test_of_two_seats_the_one_that_stays_wins_before_the_roll() -> None:
    made = case({"seat": 1, "do": "leave"}, expect={"over": True, "winner": 0, "color": None})

    assert run_case(made, scenario_adapter_of).differences == ()


def test_die_rolled_for_a_refused_step_is_kept() -> None:
    """The die of a BUST comes with the step, and stays rolled when the discard in that step is refused."""
    allow = {"seat": 0, "do": "allow"}
    refused = {"seat": 1, "do": "bust", "die": 3, "cards": ["PE"], "error": "not_in_hand"}

    made = case(ROLL, BUST, allow, refused, expect={"phase": "pick"})

    assert run_case(made, scenario_adapter_of).differences == ()


@pytest.mark.parametrize(
    ("history", "titles"),
    [
        ([[0, "R"]], ["excellent", "ultimate"]),
        ([[0, None]], []),
        ([[None, None]], []),
        ([[0, "R"], [1, None]], []),
        ([[0, None], [0, "Y"]], ["excellent"]),
    ],
)
def test_earlier_game_without_a_colour_earns_nothing(history: list[Any], titles: list[str]) -> None:
    """It was won because all others had left, or it had no winner (spec B5, B7)."""
    hand = ["RC", "RH", "RE", "RA", "RT", "RR", "RE"]

    made = case(expect={"winner": 0, "titles": titles}, setup={"history": history}, hands=[hand, HANDS[1]], start=0)

    assert run_case(made, scenario_adapter_of).differences == ()


@pytest.mark.parametrize("color", ["G", "", "RY", 5])
def test_earlier_game_in_an_unknown_colour_is_refused(color: object) -> None:
    [difference] = run_case(case(ROLL, expect={}, setup={"history": [[0, color]]}), scenario_adapter_of).differences

    assert "expected one of R, Y, P, B, or null" in difference.found


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"seat": 0, "do": "roll", "dice": [1, 2]}, "not_your_turn"),
        ({"seat": 1, "do": "roll", "dice": [1, 2]}, "not_now"),
        ({"seat": 1, "do": "play", "card": "HIDE", "target": 0, "as": "HIDE"}, "not_playable"),
    ],
)
def test_refused_step_names_the_reason(step: dict[str, Any], code: str) -> None:
    made = case(ROLL, {**step, "error": code}, expect={"phase": "act"})

    assert run_case(made, scenario_adapter_of).differences == ()


@pytest.mark.parametrize(
    "expected",
    [{"discard": ["BT", "YC"]}, {"hands": {"0": []}}, {"draw_size": 4}, {"titles": ["excellent"]}, {"weather": "fine"}],
)
def test_unmet_expectation_is_reported_as_a_difference(expected: dict[str, Any]) -> None:
    assert run_case(case(ROLL, expect=expected), scenario_adapter_of).verdict is CaseVerdict.FAILED
