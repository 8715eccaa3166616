"""A refused option is told as the user typed it; a key of a file keeps its name."""

import shlex

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.main import refusal_text
from arena.errors import OptionError
from arena.organizer.file.league_schema import LeagueFileError
from tests.support.commands import run_arena

FLAGS = {"--bot", "--seats", "--games", "--set", "--seed", "--lost", "--turn-ms", "--preset", "--data", "--baseline"}


@pytest.mark.parametrize(
    ("fault", "line", "text"),
    [
        (("seats", 0, "too few"), "--seats 0", "--seats 0: too few"),
        (("seats", 0, "too few"), "--seats=0", "--seats 0: too few"),
        (("seats", 0, "too few"), "--bot a", "--seats is missing: too few"),
        (("baseline", "", "a bot"), "--bot a", "--baseline is missing: a bot"),
        (("lost", "--lost", "needs a name"), "--lost", "--lost: needs a name"),
        (("turn_ms", 3, "more"), "--turn-ms 3", "--turn-ms 3: more"),
        (("game_count", 0, "more"), "--games 0", "--games 0: more"),
        (("decks", 999, "fewer"), "--set decks=999", "--set decks=999: fewer"),
        (("set", "decks=2", "twice"), "--set decks=1 --set decks=2", "--set decks=2: twice"),
        (("bot", ["a b"], "two bots"), "--bot 'a b'", "--bot 'a b': two bots"),
        (("remote", "A", "a-z"), "--bot remote:A --bot b", "remote:A: a-z"),
        (("preset", "r.toml: colour", "known: x"), "--preset r.toml", "--preset r.toml: colour: known: x"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_refusal_names_what_was_typed(fault, line, text):
    assert refusal_text(OptionError(*fault), shlex.split(line), FLAGS) == text


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        pytest.param(OptionError("port", 70000, "less"), "--bot a", id="no-such-flag"),
        pytest.param(OptionError("seats", 11, "less"), "--bot a", id="not-typed"),
        pytest.param(OptionError("decks", 999, "fewer"), "--preset rules.toml", id="from-a-rules-file"),
        pytest.param(OptionError("bot", "honest", "no token"), "--bot a --bot b", id="derived-from-one-of-several"),
        pytest.param(OptionError("./bot.toml: seats", 0, "unknown"), "--seats 0", id="from-a-manifest"),
        pytest.param(LeagueFileError("seats", 0, "more", 3), "--seats 0", id="from-a-league-file"),
    ],
)
def test_value_from_elsewhere_keeps_its_key(fault, line):
    assert refusal_text(fault, line.split(), FLAGS) == str(fault)


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("match --bot sample:honest", "--bot sample:honest: a match needs two bots or more"),
        ("match --bot sample:honest --fill sample:honest", "--seats is missing: --fill needs the number of seats"),
        ("match --bot sample:honest --bot sample:honest --seats 3", "--seats 3: expected --fill BOT as well"),
        ("match --bot sample:honest --bot sample:honest --seating round", "--seating round: expected fixed or rotated"),
        (
            "match --bot sample:honest --bot sample:honest --set deks=2",
            "--set deks=2: unknown option; did you mean decks?",
        ),
        ("match --bot sample:honest --bot sample:honst", "; known: "),
        ("match --bot sample:honest --bot sample:honst", "; did you mean sample:honest?"),
        ("match --bot sample:honest --bot sample:honest --preset standart", "; did you mean standard?"),
        ("rules show standart", "; did you mean cheat/standard?"),
        ("compare --candidate sample:honest", "--baseline is missing: expected a bot, or --self-test instead"),
        (
            "compare --candidate sample:honest --baseline sample:honest --margin 0",
            "--margin 0: expected a number above",
        ),
        ("replay list --lost", "--lost: expected --entrant NAME as well"),
    ],
)
def test_commands_name_flags(capsys, tmp_path, monkeypatch, line, refusal):
    monkeypatch.chdir(tmp_path)

    ended = run_arena(capsys, *line.split())

    assert ended.code == ExitCode.USAGE
    assert refusal in ended.last_line
    assert "option " not in ended.last_line.replace("unknown option", "")
    assert list(tmp_path.iterdir()) == []


def test_several_refusals_have_a_line_each(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bots = ("--bot", "sample:honest", "--bot", "sample:honest")

    ended = run_arena(capsys, "match", *bots, "--games", "0", "--set", "decks=999", "--seed", "xyz")

    first, *lines = ended.err.splitlines()
    assert (ended.code, first) == (ExitCode.USAGE, "arena: 3 faults")
    assert [line.partition(": ")[0] for line in lines] == ["  --seed xyz", "  --set decks=999", "  --games 0"]
