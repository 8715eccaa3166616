"""`arena rules`: presets and options as the ruleset describes itself; scenario files with their exit codes."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings

from arena.cli.exit_codes import ExitCode
from arena.cli.ruleset_docs import option_docs, preset_changes, rule_sentences
from arena.games.catalogue import games
from arena.games.cheat.rules.explanation import explain_rules
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.ruleset import Ruleset
from tests.games.cheat.rules.strategies import rulesets
from tests.support.commands import run_arena

CASES = Path(__file__).parents[2] / "docs" / "rules" / "cases_open.json"

CASE = {
    "id": "Z01",
    "title": "an honest move",
    "game": "cheat",
    "preset": "standard",
    "hands": [["KS", "4D"], ["QS", "9D"], ["2C", "3C"]],
    "start": 0,
    "steps": [{"seat": 0, "do": "play", "cards": ["KS"], "rank": "K"}],
    "expect": {"to_move": 1},
}


@pytest.fixture
def scenarios(tmp_path):
    """Write a file with these cases, each given as its differences from an honest move."""

    def write(*cases):
        file = tmp_path / "mine.json"
        content = {"schema": "cheat-arena-rules-cases", "schema_version": 2, "cases": [CASE | case for case in cases]}
        file.write_text(json.dumps(content), encoding="utf-8")
        return file

    return write


# ---- list and show


def test_every_preset_has_a_line(capsys):
    lines = run_arena(capsys, "rules", "list").out.splitlines()

    names = [f"{game.name}/{preset}" for game in games().values() for preset in game.presets]
    assert [line.split()[0] for line in lines] == names
    assert lines[0] == f"{'cheat/standard':<24} all options have their defaults"


def test_every_option_of_preset_shows_value_default_choices_and_meaning(capsys):
    out = run_arena(capsys, "rules", "show", "standard").out

    assert (
        "decks = 1   (the default)\n"
        "    Packs shuffled together, 1..251; none means one pack for up to four seats and two for more.\n"
        "    Allowed: a whole number from 1 to 251, or none.\n"
    ) in out
    assert "    Allowed: true or false.\n" in out
    assert "        arbiter  Nothing but the verdict.\n" in out
    assert [field.name for field in fields(Ruleset)] == [
        line.split()[0] for line in out.splitlines() if " = " in line and not line.startswith(" ")
    ]


def test_rules_of_preset_are_described_in_sentences(capsys):
    """Differences from the default are marked."""
    out = run_arena(capsys, "rules", "show", "rank_lock").out

    assert "\n* A seat may pass for a turn; when all others have passed, the last mover starts a new trick.\n" in out
    assert "\n* On its turn a seat may call the last move instead of playing.\n" in out
    assert "\n* Each next claim is the same rank.\n" in out
    assert "\n  A call shows the called cards to everybody.\n" in out
    assert "two dice" in run_arena(capsys, "rules", "show", "cheater").out


@pytest.mark.parametrize(
    ("game", "preset"),
    [pytest.param(game, preset, id=f"{game.name}-{preset}") for game in games().values() for preset in game.presets],
)
def test_every_option_changed_by_preset_is_in_a_sentence(game, preset):
    marked = [sentence for sentence, differs in rule_sentences(game, preset) if differs]

    assert len(marked) == len(set(marked))
    assert bool(marked) == bool(preset_changes(game, preset))
    told = (
        {option for _, options in explain_rules(game.build_ruleset(preset, {})) for option in options}
        if game is CHEAT
        else set()
    )
    assert game is not CHEAT or preset_changes(game, preset).keys() <= told


@settings(max_examples=200, deadline=None)
@given(rules=rulesets())
def test_every_ruleset_can_be_described(rules):
    preset, options = rules

    assert all(sentence.endswith(".") for sentence, _ in explain_rules(CHEAT.build_ruleset(preset, options)))


def test_option_changed_by_preset_is_marked(capsys):
    out = run_arena(capsys, "rules", "show", "folk").out

    assert "\ncount_lies = true   (differs, default false)\n" in out
    assert "\ndecks = none   (differs, default 1)\n" in out
    assert "\nbelieve = false   (the default)\n" in out
    listed = run_arena(capsys, "rules", "list", "--json").json
    assert listed[3]["changes"] == {
        "players_min": 4,
        "players_max": 4,
        "jokers_per_deck": 0,
        "first_mover": "first_seat",
        "rank_mode": "rotation",
        "objective": "first_out_wins",
    }


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)
def test_every_option_states_meaning_and_allowed_values(game):
    for preset in game.presets:
        for page in option_docs(game, preset):
            assert page.meaning.endswith("."), page.name
            assert page.allowed != "anything", page.name


def test_preset_is_also_found_with_its_game(capsys):
    assert (
        run_arena(capsys, "rules", "show", "cheat/standard").out == run_arena(capsys, "rules", "show", "standard").out
    )


def test_options_are_available_as_json(capsys):
    shown = run_arena(capsys, "rules", "show", "standard", "--json").json

    assert (shown["game"], shown["preset"]) == ("cheat", "standard")
    assert next(option for option in shown["options"] if option["name"] == "check") == {
        "name": "check",
        "value": "public",
        "default": "public",
        "allowed": "one of arbiter, caller, public, public+",
        "meaning": "What a call reveals.",
        "choices": {
            "arbiter": "Nothing but the verdict.",
            "caller": "The called cards, to the caller alone.",
            "public": "The called cards, to everybody.",
            "public+": "The called cards and the rest of the pile, to everybody.",
        },
    }
    assert run_arena(capsys, "rules", "list", "--json").json[0]["changes"] == {}


def test_unknown_preset_is_refused_with_list_of_known_ones(capsys):
    ended = run_arena(capsys, "rules", "show", "poker")

    assert ended.code == ExitCode.USAGE
    assert ended.last_line.startswith("arena: unknown preset 'poker'; known: cheat/standard")


# ---- run


def test_file_with_passing_cases_exits_with_0(capsys, scenarios):
    ended = run_arena(capsys, "rules", "run", scenarios({}, {"id": "Z02"}))

    assert (ended.code, ended.out) == (ExitCode.YES, "2 passed, 0 failed, 0 not run\n")


def test_failing_case_shows_expected_and_actual_and_exits_with_1(capsys, scenarios):
    ended = run_arena(capsys, "rules", "run", scenarios({}, {"id": "Z02", "expect": {"to_move": 2}}))

    assert ended.code == ExitCode.NO
    assert ended.out.splitlines() == [
        "FAILED Z02  an honest move",
        "    at the end: to_move: expected 2, found 1",
        "1 passed, 1 failed, 0 not run",
    ]


def test_case_needing_unsupported_feature_is_skipped_without_failure(capsys, scenarios):
    file = scenarios({}, {"id": "Z02", "game": "bridge"}, {"id": "Z03", "game": "bridge"})

    ended = run_arena(capsys, "rules", "run", file)

    assert ended.code == ExitCode.YES
    assert ended.out.splitlines() == [
        "not run, because game bridge is missing: Z02, Z03",
        "1 passed, 0 failed, 2 not run",
    ]


def test_one_preset_can_be_selected(capsys, scenarios):
    file = scenarios({}, {"id": "Z02", "preset": "nobody"})

    assert run_arena(capsys, "rules", "run", file, "--preset", "standard").out == "1 passed, 0 failed, 0 not run\n"
    ended = run_arena(capsys, "rules", "run", file, "--preset", "other")
    assert (ended.code, "known: nobody, standard" in ended.last_line) == (ExitCode.USAGE, True)


def test_report_is_available_as_json(capsys, scenarios):
    ended = run_arena(capsys, "rules", "run", scenarios({"expect": {"to_move": 2}}), "--json")

    assert ended.code == ExitCode.NO
    assert (ended.json["passed"], ended.json["failed"], ended.json["cases"][0]["id"]) == (0, 1, "Z01")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "mine.json"),
        ("{", "line 1 column 2"),
        ("[]", "schema 'cheat-arena-rules-cases' version 2"),
        ('{"schema": "cheat-arena-rules-cases", "schema_version": 2}', "a list under 'cases'"),
        ('{"schema": "cheat-arena-rules-cases", "schema_version": 2, "cases": [7]}', "case 1'"),
        ('{"schema": "cheat-arena-rules-cases", "schema_version": 2, "cases": [{"id": "Z9"}]}', "case 1, Z9'"),
    ],
)
def test_malformed_file_is_refused_in_one_sentence_with_location(capsys, tmp_path, text, place):
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")

    ended = run_arena(capsys, "rules", "run", file)

    assert ended.code == ExitCode.USAGE
    assert len(ended.err.splitlines()) == 1
    assert place in ended.last_line


def test_missing_file_is_refused_in_one_sentence(capsys, tmp_path):
    ended = run_arena(capsys, "rules", "run", tmp_path / "nothing.json")

    assert ended.code == ExitCode.USAGE
    assert "nothing.json" in ended.last_line


def test_bundled_cases_pass(capsys):
    ended = run_arena(capsys, "rules", "run", CASES)

    assert ended.code == ExitCode.YES, ended.out
