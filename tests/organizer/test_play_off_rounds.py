"""A play-off in rounds, with the schedule and ledger that a league has: only finished rounds decide."""

from pathlib import Path

import pytest

from arena.competition.league.champion import Champion
from arena.competition.league.model import PLAY_OFF
from arena.errors import RequestError
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.view.league_standings import compute_league_standings
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague


def league(folder: Path) -> SimulatedLeague:
    """Return a league of four at tables of four: its play-off has two rounds of eight games."""
    file = read_league_file(write_league(folder, 4, games=10, seats=4, tables=1, play_off=16))
    return SimulatedLeague(file, settings={**file.settings, "play_off_rounds": 2})


def champion_of(made: SimulatedLeague) -> Champion:
    champion = compute_league_standings(made.open_league()).champion
    assert champion is not None
    return champion


async def test_unfinished_round_does_not_count_yet(tmp_path):
    made = league(tmp_path)
    await made.play(10)
    by_score = champion_of(made)

    assert by_score.by != "play-off"
    for _ in range(7):
        await made.play(1)
        assert champion_of(made) == by_score
    await made.play(1)
    after_one = champion_of(made)
    assert after_one.by == "play-off"
    for _ in range(7):
        await made.play(1)
        assert champion_of(made) == after_one
    await made.play()
    assert made.is_over
    assert champion_of(made).by == "play-off"
    assert len(made.blocks) == 26


async def test_only_the_latest_round_of_a_play_off_can_be_void(tmp_path):
    made = league(tmp_path)
    await made.play(20)
    first, second = ([each for each in made.ledger.history if each.block.round == number] for number in (11, 12))
    assert {each.block.label for each in (*first, *second)} == {PLAY_OFF}

    with pytest.raises(RequestError, match="drawn from it"):
        await made.amend("void", first[0].tables[0].match_id)
    await made.amend("void", second[0].tables[0].match_id)
    await made.play()

    assert made.is_over


async def test_interrupted_anywhere_the_play_off_is_drawn_again_alike(tmp_path):
    whole, parts = league(tmp_path / "whole"), league(tmp_path / "parts")
    await whole.play()
    while not parts.is_over:
        await parts.play(3)

    assert parts.blocks == whole.blocks
