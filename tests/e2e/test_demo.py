"""`arena demo`: several matches of the same bots, seats rotated, some at once."""

import os

import pytest

from arena.cli.demo import split_into_rotations
from arena.cli.exit_codes import ExitCode
from arena.match.match_order import MatchOrder
from tests.support.bots import write_bots
from tests.support.commands import run_arena

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are otherwise there")


def test_demo_plays_all_its_games(capsys, tmp_path):
    """Every bot plays every game, and the replays are named."""
    bots = write_bots(tmp_path / "bots")
    bot = bots / "honest"

    ended = run_arena(capsys, "demo", "--bot", bot, "--bot", bot, "--games", 5, "--data", tmp_path / "d", "--json")

    assert ended.code == ExitCode.YES
    result = ended.json
    assert sorted(len(match["games"]) for match in result["matches"]) == [1, 2, 2]
    assert [len(each["places"]) for each in result["standings"]] == [5, 5]
    assert result["standings"][0]["mean_place"] <= result["standings"][1]["mean_place"]
    assert len({match["match_id"] for match in result["matches"]}) == 3


def test_demo_plays_the_other_game(capsys, tmp_path):
    """It has its own samples, its own columns, and replays that can be read, also by seat."""
    asked = ("demo", "--game", "cheater", "--games", 3, "--data", tmp_path)

    told = run_arena(capsys, *asked)
    listed = run_arena(capsys, "replay", "list", "--data", tmp_path)
    match_id = listed.out.split("01", 1)[1].split()[0]
    replay = run_arena(capsys, "replay", "show", f"01{match_id}", "--game", 0, "--seat", 1, "--data", tmp_path)

    assert told.code == ExitCode.YES
    assert all(name in told.out for name in ("set_chaser", "denier", "cautious", "attacks", "taken/busted"))
    assert "lies" not in told.out
    assert "CHEATER" in replay.out


def test_bots_of_another_game_are_named(capsys, tmp_path):
    asked = ("match", "--preset", "cheater", "--bot", "sample:honest", "--bot", "sample:denier", "--data", tmp_path)

    ended = run_arena(capsys, *asked)

    assert ended.code == ExitCode.USAGE
    assert "'honest' does not play cheater/cheater" in ended.last_line


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
