"""The scenarios of the rules, and the code that plays them."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import NotationError
from arena.games.catalogue import scenario_adapter_of
from arena.games.scenarios import CaseVerdict, Difference, run_case, run_file

CASES = Path(__file__).resolve().parents[2] / "docs" / "rules" / "cases_open.json"


def test_every_cheat_scenario_passes():
    results = [
        run_case(case, scenario_adapter_of)
        for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]
        if case["game"] == "cheat"
    ]

    assert {r.id: [str(d) for d in r.differences] for r in results if r.verdict is not CaseVerdict.PASSED} == {}
    assert len(results) == 145


def test_presets_can_be_selected():
    assert len(run_file(CASES, scenario_adapter_of, "rank_lock").results) == 10
    assert run_file(CASES, scenario_adapter_of, "folk").count(CaseVerdict.PASSED) == 13


def test_unknown_games_and_presets_are_not_run():
    assert run_case(case(game="bridge"), scenario_adapter_of).missing == ("game bridge",)
    assert run_case(case(preset="nobody"), scenario_adapter_of).missing == ("preset nobody",)


def case(**changes: Any) -> dict[str, Any]:
    """Return a case that passes: seat 0 plays its king, and seat 1 is to move."""
    made: dict[str, Any] = {
        "id": "Z01",
        "title": "an honest move",
        "game": "cheat",
        "preset": "standard",
        "hands": [["KS", "4D"], ["QS", "9D"], ["2C", "7C"]],
        "start": 0,
        "steps": [{"seat": 0, "do": "play", "cards": ["KS"], "rank": "K"}],
        "expect": {"to_move": 1},
    }
    return made | changes


def only_difference(made: dict[str, Any]) -> Difference:
    result = run_case(made, scenario_adapter_of)
    assert result.verdict is CaseVerdict.FAILED
    [difference] = result.differences
    return difference


def test_unmet_expectation_is_named_with_both_values():
    assert only_difference(case(expect={"to_move": 2})) == Difference(None, "to_move", 2, 1)


def test_unmet_expectation_within_steps_names_the_step():
    steps = [{"seat": 0, "do": "play", "cards": ["KS"], "rank": "K", "expect": {"hands": {"0": ["KS"]}}}]

    difference = only_difference(case(steps=steps))

    assert difference == Difference(1, "hands", {"0": ["KS"]}, {"0": ["4D"]})
    assert str(difference) == "step 1: hands: expected {'0': ['KS']}, found {'0': ['4D']}"


@pytest.mark.parametrize(
    ("step", "expected", "found"),
    [
        ({"seat": 0, "do": "play", "cards": ["QS"], "rank": "K"}, None, "not_in_hand"),
        (
            {"seat": 0, "do": "play", "cards": ["QS"], "rank": "K", "error": "illegal_rank"},
            "illegal_rank",
            "not_in_hand",
        ),
        ({"seat": 0, "do": "play", "cards": ["KS"], "rank": "K", "error": "too_early"}, "too_early", None),
    ],
)
def test_extra_missing_or_different_refusal_is_a_difference(step, expected, found):
    made = case(steps=[step], expect={})

    assert only_difference(made) == Difference(1, "error", expected, found)


def test_unknown_expectation_is_not_ignored():
    assert only_difference(case(expect={"weather": "fine"})).key == "weather"


@pytest.mark.parametrize("expected", [{"window": [1]}, {"turn": 1}, {"kinds": ["call"]}])
def test_asked_is_compared(expected):
    asked = {"window": [2, 1], "turn": None, "kinds": ["decline", "call"]}

    assert run_case(case(pace="sealed", expect={"asked": asked}), scenario_adapter_of).verdict is CaseVerdict.PASSED
    assert only_difference(case(pace="sealed", expect={"asked": asked | expected})).key == "asked"


def test_held_is_compared():
    steps = [
        {"seat": 0, "do": "play", "cards": ["KS"], "rank": "K", "at": 0},
        {"seat": 1, "do": "play", "cards": ["QS"], "rank": "Q", "at": 1000},
    ]
    views = {"1": {"held": True}, "2": {"held": False}}

    assert run_case(case(steps=steps, expect={"views": views}), scenario_adapter_of).verdict is CaseVerdict.PASSED
    assert only_difference(case(steps=steps, expect={"views": {"2": {"held": True}}})).found == {"2": {"held": False}}


def test_match_created_despite_expected_refusal_is_a_difference():
    made = case(steps=[], expect={"create_error": "min_call_ms"})

    assert only_difference(made) == Difference(None, "create_error", "min_call_ms", None)
    assert run_case(made | {"options": {"min_call_ms": 3001}}, scenario_adapter_of).verdict is CaseVerdict.PASSED


def test_setting_out_of_range_fails_the_case_without_a_crash():
    assert "turn_time" in only_difference(case(options={"turn_time": 4})).found


@pytest.mark.parametrize("value", [1, 61, True, "3", None, [3]])
@pytest.mark.parametrize("option", ["call_time", "turn_time"])
def test_refused_time_is_named_as_in_the_cases(option, value):
    """The pace has another name and another unit for the setting."""
    made = case(steps=[], options={option: value})

    assert run_case(made | {"expect": {"create_error": option}}, scenario_adapter_of).differences == ()


def test_report_is_available_as_json(tmp_path):
    file = tmp_path / "mine.json"
    cases = [case(), case(id="Z02", expect={"to_move": 2}), case(id="Z03", game="bridge")]
    content = {"schema": "cheat-arena-rules-cases", "schema_version": 2, "count": 3, "cases": cases}
    file.write_text(json.dumps(content), encoding="utf-8")

    assert json.loads(json.dumps(run_file(file, scenario_adapter_of).as_dict())) == {
        "path": str(file),
        "passed": 1,
        "failed": 1,
        "not_run": 1,
        "cases": [
            {"id": "Z01", "title": "an honest move", "verdict": "passed"},
            {
                "id": "Z02",
                "title": "an honest move",
                "verdict": "failed",
                "differences": [{"step": None, "key": "to_move", "expected": 2, "found": 1}],
            },
            {"id": "Z03", "title": "an honest move", "verdict": "not_run", "missing": ["game bridge"]},
        ],
    }


@pytest.mark.parametrize("text", ["not json", "[]", '{"schema": "cheat-arena-rules-cases", "schema_version": 1}'])
def test_other_kind_of_file_is_refused(tmp_path, text):
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(NotationError, match=r"cannot read"):
        run_file(file, scenario_adapter_of)
