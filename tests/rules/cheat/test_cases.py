"""The scenario files, played without a clock straight through the game. Timed cases belong to the referee's tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import OptionsError
from arena.rules.cheat import scenario
from arena.rules.cheat.options import PACE_OPTIONS
from arena.rules.game import Seat
from tests.rules.cheat.sitting import Sitting

CASES = json.loads((Path(__file__).parents[3] / "docs/rules/cases_open.json").read_text())["cases"]
UNTIMED = [case for case in CASES if case["game"] == "cheat" and not any("at" in step for step in case["steps"])]


@pytest.mark.parametrize("case", UNTIMED, ids=[case["id"] for case in UNTIMED])
def test_a_scenario_ends_as_written(case: dict[str, Any]) -> None:
    """Every step is accepted or refused as the scenario says, and the state agrees wherever it names a fact."""
    if "create_error" in case["expect"]:
        expect_refusal(case)
        return
    sitting = Sitting(scenario.position(case))
    idle: dict[Seat, int] = {}
    for step in case["steps"]:
        take(sitting, step, idle, case["options"].get("max_auto_moves", 3))
        compare(sitting, step.get("expect", {}))
    compare(sitting, case["expect"])


def take(sitting: Sitting, step: dict[str, Any], idle: dict[Seat, int], patience: int) -> None:
    """Do one step of a case."""
    match step["do"]:
        case "leave":
            sitting.leave(step["seat"])
        case "calls":
            sitting.call(*step["seats"])
        case "window_close":
            sitting.window_closes()
        case "timeout":
            seat = sitting.time_is_over()
            if seat is not None:
                idle[seat] = idle.get(seat, 0) + 1
                if idle[seat] == patience:
                    sitting.leave(seat)
        case _:
            assert sitting.act(step["seat"], scenario.action(step)) == step.get("error")


def compare(sitting: Sitting, expected: dict[str, Any]) -> None:
    """Compare what is expected; whether a move is held is the referee's fact."""
    expected = json.loads(json.dumps(expected))
    for view in expected.get("views", {}).values():
        view.pop("held", None)
    if isinstance(expected.get("asked"), dict):
        expected["asked"]["kinds"] = sorted(expected["asked"]["kinds"])
    assert scenario.differences(expected, sitting.facts) == []


def expect_refusal(case: dict[str, Any]) -> None:
    """The match is refused when it is created; times are the pace's to refuse."""
    field = case["expect"]["create_error"]
    if field in PACE_OPTIONS:
        pytest.skip(f"{field} is the pace's to refuse")
    with pytest.raises(OptionsError) as refused:
        scenario.position(case)
    assert [fault.field for fault in refused.value.faults] == [field]
