"""`arena check` as it is typed: its lines, its files and its exit codes."""

import json
import os
import shlex
import signal
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from xmlschema import XMLSchema

from arena.author.check.findings import Finding, Rule
from arena.author.check.report import result_lines
from arena.author.check.step import StepResult, Verdict
from arena.author.check.steps import STEPS
from arena.cli.exit_codes import ExitCode
from arena.cli.main import run
from arena.names import MAX_NAME_LENGTH
from tests.support.boxes import skip_without_boxes
from tests.support.commands import start_command

RAW = Path(__file__).parents[2] / "e2e" / "raw_bot.py"
SCHEMA = XMLSchema(Path(__file__).parents[2] / "cli" / "junit.xsd")


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


def test_a_bot_with_the_longest_name_is_checked(tmp_path, capsys):
    """Each of its processes has a number after its name, which may then be too long."""
    bot = tmp_path / f"{'a' * MAX_NAME_LENGTH}.py"
    bot.write_text("print('hello')\n")

    code = run(["check", str(bot), "--step", "two-seats", "--data", str(tmp_path)])

    assert code == ExitCode.NO, capsys.readouterr().err
    assert "the bot ended at once" in capsys.readouterr().out


@pytest.mark.slow
def test_an_interrupted_check_shows_and_writes_the_finished_steps(tmp_path):
    """The first process of the bot ends at once, the second one hangs."""
    bot, junit = tmp_path / "hanging.py", tmp_path / "check.xml"
    bot.write_text(
        "import pathlib, time\n"
        "mark = pathlib.Path(__file__).with_suffix('.started')\n"
        "if mark.exists(): time.sleep(600)\n"
        "mark.touch()\n"
    )
    words = ["check", bot, "--step", "wrong-token", "--step", "other-version", "--junit", junit, "--data", tmp_path]

    with start_command(*words) as command:
        command.wait_for_line("failed       wrong-token")
        command.signal(signal.SIGINT)
        code = command.wait_for_exit(60)

    assert code == ExitCode.INTERRUPTED
    assert any(line.startswith("1 failed; the bot's output is in") for line in command.out)
    assert any("1 of 2 steps run" in line for line in command.err)
    assert [case.get("name") for case in fromstring(junit.read_text()).iter("testcase")] == ["wrong-token"]


@pytest.mark.skipif(os.name != "posix", reason="the bot is a script that the kernel starts")
def test_a_bot_that_cannot_be_started_again_keeps_the_finished_steps(tmp_path, capsys):
    """The bot deletes itself when it runs, so its second process cannot be started, and the third step does not run."""
    junit = tmp_path / "check.xml"
    steps = [word for step in ("wrong-token", "other-version", "no-server") for word in ("--step", step)]
    words = [*steps, "--junit", str(junit), "--data", str(tmp_path)]
    bot = vanishing_bot(tmp_path)
    why = f"there is no program {bot}"

    code = run(["check", str(bot), *words])

    shown, said = capsys.readouterr()
    assert code == ExitCode.BOT_FAILED
    verdicts = [line for line in shown.splitlines() if not line.startswith(" ")]
    assert [line.split("  ")[0] for line in verdicts[:-1]] == ["failed", "not started"]
    assert verdicts[-1].startswith("1 failed, 1 not started; ")
    assert f"    because   {why}" in shown.splitlines()
    assert f"arena: {why}" in said
    first, second = fromstring(junit.read_text()).iter("testcase")
    assert (first.get("name"), [part.tag for part in first]) == ("wrong-token", ["failure"])
    assert (second.get("name"), [part.tag for part in second]) == ("other-version", ["error"])
    assert second[0].get("message") == why
    SCHEMA.validate(junit.read_text())

    vanishing_bot(tmp_path)
    code = run(["check", str(bot), *words, "--json"])

    found = json.loads(capsys.readouterr().out)["steps"]
    assert code == ExitCode.BOT_FAILED
    assert [(step["name"], step["verdict"]) for step in found] == [
        ("wrong-token", "failed"),
        ("other-version", "not started"),
    ]
    assert found[1]["note"] == why


def vanishing_bot(folder: Path) -> Path:
    """Write a program that deletes itself when it runs."""
    bot = folder / "vanishing"
    bot.write_text(f"#!/bin/sh\nrm {shlex.quote(str(bot))}\n")
    bot.chmod(0o755)
    return bot


def test_steps_are_listed_without_a_bot(capsys):
    assert run(["check", "--list", "--step", "lost-*"]) == ExitCode.YES
    assert all(line.startswith(("lost-", " ")) for line in capsys.readouterr().out.splitlines())


def test_a_check_without_a_bot_is_refused(capsys):
    assert run(["check"]) == ExitCode.USAGE
    assert "BOT: expected a bot, unless --list is given" in capsys.readouterr().err


def test_a_bot_that_is_missing_does_not_start(capsys):
    assert run(["check", "nowhere.py"]) == ExitCode.BOT_FAILED
    assert "there is no bot 'nowhere.py'" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_refused_before_the_first_step(tmp_path, capsys):
    (tmp_path / "file").touch()
    junit = tmp_path / "file" / "check.xml"

    code = run(["check", "sample:honest", "--junit", str(junit), "--data", str(tmp_path / "data")])

    assert code == ExitCode.UNSTEADY
    assert capsys.readouterr() == ("", f"arena: {junit} cannot be written: a file is where its folder should be\n")
    assert not (tmp_path / "data").exists()


def test_a_bot_that_never_connects_is_not_started_for_every_step(tmp_path, capsys):
    bot = tmp_path / "silent.py"
    bot.write_text("raise SystemExit('no such thing')\n")
    steps = [word for step in ("standard", "two-seats", "breaks", "wrong-token") for word in ("--step", step)]

    code = run(["check", str(bot), *steps, "--json", "--data", str(tmp_path)])

    found = json.loads(capsys.readouterr().out)["steps"]
    assert code == ExitCode.NO
    assert [step["verdict"] for step in found] == ["failed", "failed", "not reached", "not reached"]
    assert found[0]["findings"][0]["came"].endswith("before it sent Hello; its last line is 'no such thing'")
    assert found[2]["note"] == "the bot opened no stream in the steps standard and two-seats"


def test_long_lines_are_wrapped_at_the_width_of_the_terminal():
    finding = Finding(Rule.STOP, "the bot was still running after 15 s")
    result = StepResult(STEPS[0], Verdict.FAILED, [finding, Finding(Rule.STOP, "the bot printed nothing")])

    assert list(result_lines(result, 80)) == [
        "failed       standard             plays standard Cheat",
        "    expected  stop when the guide says so, with one clear line (guide, section",
        "              9)",
        "    came      the bot was still running after 15 s",
        "    came      the bot printed nothing",
    ]


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
    ],
)
def test_a_wrong_request_gets_a_sentence(words, sentence, capsys):
    assert run(["check", *words]) == ExitCode.USAGE
    assert sentence in capsys.readouterr().err


def test_a_boxed_bot_is_checked_where_no_server_listens(tmp_path, capsys):
    """The bot passes only if its connection is refused as at an abandoned socket."""
    skip_without_boxes()
    bot = tmp_path / "lonely.py"
    bot.write_text(
        "import os, socket, sys\n"
        "try:\n"
        "    socket.socket(socket.AF_UNIX).connect(os.environ['CHEATARENA_ADDRESS'].removeprefix('unix:'))\n"
        "except ConnectionRefusedError:\n"
        "    print('nothing listens')\n"
        "    sys.exit(69)\n"
    )

    code = run(["check", str(bot), "--untrusted", "--step", "no-server", "--data", str(tmp_path / "data")])

    assert code == ExitCode.YES, capsys.readouterr()
