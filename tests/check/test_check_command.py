"""`arena check` as it is typed: its lines, its files and its exit codes."""

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from xmlschema import XMLSchema

from arena.cli.exit_codes import ExitCode
from arena.cli.main import run

RAW = Path(__file__).parents[1] / "e2e" / "raw_bot.py"
SCHEMA = XMLSchema(Path(__file__).parents[1] / "cli" / "junit.xsd")


def test_a_check_says_what_was_expected_and_what_came(tmp_path, capsys):
    """A bot that ends at once fails; its steps are in the text, in the JSON and in the JUnit file."""
    bot = tmp_path / "silent.py"
    bot.write_text("print('hello')\n")
    junit = tmp_path / "check.xml"
    words = ["check", str(bot), "--step", "two-seats", "--step", "wrong-token", "--data", str(tmp_path)]

    code = run([*words, "--junit", str(junit)])

    shown = capsys.readouterr().out
    assert code == ExitCode.NO
    assert "failed       two-seats" in shown
    assert "    expected  send one Hello, alone, in the first frame" in shown
    assert "    came      the bot ended at once" in shown
    assert "2 failed" in shown
    suite = fromstring(junit.read_text())[0]
    assert [case.get("name") for case in suite.iter("testcase")] == ["two-seats", "wrong-token"]
    assert suite.get("failures") == "2"
    SCHEMA.validate(junit.read_text())


def test_a_game_that_the_bot_does_not_play_is_skipped(tmp_path, capsys):
    code = run(["check", str(RAW), "--step", "cheater", "--json", "--data", str(tmp_path)])

    found = json.loads(capsys.readouterr().out)
    assert code == ExitCode.YES
    assert [(step["name"], step["verdict"]) for step in found["steps"]] == [("cheater", "skipped")]
    assert found["steps"][0]["note"] == "Hello does not list the game cheater"


def test_the_list_names_every_step_with_what_it_checks(capsys):
    assert run(["check", "sample:honest", "--list"]) == ExitCode.YES
    lines = capsys.readouterr().out.splitlines()
    assert any(
        line.split() == ["lost-answer", "answers", "again", "when", "its", "decision", "was", "lost"] for line in lines
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sample:honest", "--step", "lost-anwser"], "unknown step 'lost-anwser'"),
        (["remote:mine"], "a check starts the bot many times, so it has to run on this machine"),
        (["nothere.py"], "nothere.py"),
    ],
)
def test_a_wrong_request_gets_a_sentence(words, sentence, capsys):
    assert run(["check", *words]) == ExitCode.USAGE
    assert sentence in capsys.readouterr().err
