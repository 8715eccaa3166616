"""`arena demo`: several matches of the same bots, seats rotated, some at once."""

import os
import re

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.match.demo_run import split_into_rotations
from arena.match.referee.match_order import MatchOrder
from tests.support.bots import write_bots
from tests.support.commands import run_arena, run_on_terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are otherwise there")


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    return write_bots(tmp_path_factory.mktemp("bots"))


def test_demo_plays_all_its_games(capsys, bots, tmp_path):
    """Every bot plays every game, and the replays are named."""
    bot = bots / "honest"

    ended = run_arena(capsys, "demo", "--bot", bot, "--bot", bot, "--games", 5, "--data", tmp_path / "d", "--json")

    assert ended.code == ExitCode.YES
    result = ended.json
    assert sorted(len(match["games"]) for match in result["matches"]) == [1, 2, 2]
    assert [len(each["places"]) for each in result["standings"]] == [5, 5]
    assert result["standings"][0]["mean_place"] <= result["standings"][1]["mean_place"]
    assert len({match["match_id"] for match in result["matches"]}) == 3


@pytest.mark.slow
def test_demo_plays_the_other_game(capsys, tmp_path):
    """It has its own samples, its own columns, and replays that can be read, also by seat."""
    asked = ("demo", "--game", "cheater", "--games", 3, "--data", tmp_path)

    told = run_arena(capsys, *asked)
    listed = run_arena(capsys, "replay", "list", "--data", tmp_path)
    match_id = listed.out.split("01", 1)[1].split()[0]
    replay = run_arena(capsys, "replay", "show", f"01{match_id}", "--game", 0, "--seat", 1, "--data", tmp_path)

    assert told.code == ExitCode.YES
    assert all(
        name in told.out for name in ("set_chaser", "denier", "cautious", "forecaster", "attacks", "taken/busted")
    )
    assert "lies" not in told.out
    assert "CHEATER" in replay.out


@pytest.mark.slow
def test_demo_says_what_happens_and_what_to_do_next(capsys, bots, tmp_path):
    """Without a terminal the output stays short: no game is told."""
    ended = run_arena(
        capsys, "demo", "--bot", bots / "honest", "--bot", bots / "doubter", "--games", 2, "--data", tmp_path
    )

    assert ended.code == ExitCode.YES
    opening = " ".join(ended.err.split())
    assert "They play 2 games (cheat, standard), which takes about" in opening
    assert "a low mean place is good" in opening
    steps = ended.out.partition("What next?\n")[2].splitlines()
    commands = [line.strip() for line in steps if line.startswith("    ")]
    assert [command.split()[:2] for command in commands] == [
        ["arena", "replay"],
        ["arena", "match"],
        ["arena", "compare"],
    ]
    assert run_arena(capsys, *commands[0].split()[1:]).code == ExitCode.YES
    last_screen = "\n".join(ended.out.splitlines()[-23:])
    assert "2 games of cheat, standard" in last_screen
    assert "how they play" in ended.out
    assert "move by move" not in ended.out


@pytest.mark.slow
@pytest.mark.long
def test_demo_tells_a_game_on_a_terminal(bots, tmp_path):
    """The story has names instead of seats, and its end. The suggested replay is that of the game that was told.

    The table of the told game is drawn above the standings.
    """
    players = ("--bot", bots / "honest", "--bot", bots / "doubter")
    # With these cards the two need about fifty turns. Others would take them to the limit of turns.
    asked = ("demo", *players, "--games", 2, "--seed", "1", "--data", tmp_path)
    code, text = run_on_terminal(asked)

    assert code == ExitCode.YES, text
    assert text.count("One table, move by move: ") == 1
    story = text.partition("One table, move by move: ")[2]
    assert re.search(r"^ +0  (honest|doubter) claims \d x \w+ and lays ", story, re.MULTILINE)
    assert re.search(r"The game is over: 1 (honest|doubter), 2 (honest|doubter)", story)
    assert not re.search(r"\bseat \d", story)
    assert re.search(r"cheat standard · game 0, turn \d+ · 0 of 2 games over\s+seat +bot +cards +now", text)
    assert "Read the game that was told above" in story
    claims = re.findall(r"^ +\d+  (\w+) claims (\d x \w+).*?^to call +([^\n]*?) *$", story, re.MULTILINE | re.DOTALL)
    assert claims
    assert [(name, claim) for name, claim, to_call in claims if to_call != f"{name}: {claim}"] == []


def test_bots_of_another_game_are_named_as_soon_as_they_connect(capsys, bots, tmp_path):
    asked = ("match", "--preset", "cheater", "--bot", bots / "honest", "--bot", "sample:denier", "--data", tmp_path)

    ended = run_arena(capsys, *asked)

    assert ended.code == ExitCode.USAGE
    assert "'honest' does not play cheater/cheater: it plays cheat" in ended.last_line


def test_bots_that_name_another_game_are_refused_before_anything_starts(capsys, tmp_path):
    """A bot.toml names the game of each sample."""
    asked = (
        "match",
        "--preset",
        "cheater",
        "--bot",
        "sample:honest",
        "--bot",
        "sample:denier",
        "--data",
        tmp_path / "d",
    )

    ended = run_arena(capsys, *asked)

    assert ended.code == ExitCode.USAGE
    said = "bot.toml says: honest plays cheat, denier plays cheater"
    assert f"game must be a game that every bot plays, got 'cheater'; {said}" in ended.err
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["folk", "rank_lock", "ascending"])
def test_samples_play_every_preset_on_a_real_server(capsys, tmp_path, preset):
    """No answer is refused."""
    ended = run_arena(capsys, "demo", "--preset", preset, "--games", 4, "--data", tmp_path, "--json")

    assert ended.code == ExitCode.YES
    assert [len(each["places"]) for each in ended.json["standings"]] == [4] * 4


def test_seed_gives_each_match_its_own_cards():
    order = MatchOrder(entrants=("a", "b", "c", "d"), game_count=20, seed=bytes(32))

    matches = split_into_rotations(order)

    assert [match.game_count for match in matches] == [4] * 5
    assert len({match.seed for match in matches}) == 5
    assert len({match.key for match in matches}) == 5
    assert split_into_rotations(order) == matches
    assert {match.seed for match in split_into_rotations(MatchOrder(entrants=("a", "b")))} == {b""}
