"""Which blocks are played when, until a league is finished."""

from typing import Any

import pytest

from arena.organizer.file.league_reader import read_league_file
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague


def league(folder, bots: int = 9, **settings: Any) -> SimulatedLeague:
    return SimulatedLeague(read_league_file(write_league(folder, bots, **settings)))


def ladder(folder, budget_s: float) -> SimulatedLeague:
    """Return a timed ladder with rounds of three blocks."""
    file = read_league_file(write_league(folder, 9, None, format="ladder", budget="1h"))
    return SimulatedLeague(file, settings={"budget_s": budget_s, "tables": 2})


FORMATS: dict[str, dict[str, Any]] = {
    "season": {},
    "round-robin": {"games": None, "passes": 1, "bots": 5},
    "gauntlet": {"challenger": "bot0", "tables": None},
    "swiss": {"games": 1, "rounds": 3},
    "knockout": {"games": 1},
    "ladder": {"games": 1, "rounds": 3},
}


@pytest.mark.parametrize("name", FORMATS)
async def test_schedule_ends_exactly_when_nothing_is_left(tmp_path, name):
    made_up = league(tmp_path, **{"format": name, **FORMATS[name]})
    were_over = []

    while await made_up.play(1):
        were_over.append(made_up.is_over)

    assert were_over == [False] * (len(were_over) - 1) + [True]
    assert len(were_over) > 1


async def test_unplayed_league_is_not_finished(tmp_path):
    assert not league(tmp_path).is_over


async def test_leaver_does_not_keep_league_from_finishing(tmp_path):
    """Two tables were planned for each round, and later only one: fewer games than planned are all games."""
    made_up = league(tmp_path, 6, format="swiss", games=1, rounds=3, tables=None)
    await made_up.play(1)
    await made_up.amend("withdraw", "bot1")

    await made_up.play()

    assert made_up.is_over
    assert sum(len(block.tables) for block in made_up.blocks) == 2 + 1 + 1


async def test_league_is_not_finished_before_its_play_off(tmp_path):
    """A finished league reveals its secret, and the remaining deals would follow from that."""
    made_up = league(tmp_path, 6, games=12, play_off=6)
    regular = await made_up.play(6)
    is_over = made_up.is_over

    await made_up.play()

    assert regular == 6
    assert not is_over
    assert made_up.is_over
    assert [block.label for block in made_up.blocks].count("play-off") == len(made_up.blocks) - 6 > 0


async def test_play_off_waits_for_last_block_of_fixed_schedule(tmp_path):
    made_up = league(tmp_path, 6, games=12, play_off=6)

    taken = made_up._schedule().take(100)

    assert [block.label for block in taken] == [""] * 6


async def test_interrupted_play_off_continues_with_same_blocks(tmp_path):
    whole, cut = (league(tmp_path / name, 6, games=12, play_off=6) for name in ("whole", "cut"))
    await whole.play()

    await cut.play(7)
    await cut.begin()
    await cut.amend("disqualify", whole.blocks[-1].tables[0][0])
    while await cut.play(1):
        pass

    assert cut.blocks == whole.blocks


async def test_timed_league_starts_no_round_after_its_time_and_finishes_the_last_one(tmp_path):
    made_up = ladder(tmp_path, 95)

    await made_up.play(each_s=10)

    assert [block.round for block in made_up.blocks] == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert made_up.is_over
    assert not await made_up.play()


async def test_timed_ladder_is_not_finished_early(tmp_path):
    made_up = ladder(tmp_path, 95)
    await made_up.play(9, each_s=10)
    is_over = made_up.is_over

    made_up.now += 5

    assert not is_over
    assert made_up.is_over


async def test_break_counts_towards_time_and_started_blocks_are_finished(tmp_path):
    made_up = ladder(tmp_path, 95)
    await made_up.play(4, each_s=10)
    await made_up.begin()

    made_up.now += 3600
    is_over = made_up.is_over
    await made_up.play()

    assert not is_over
    assert [block.round for block in made_up.blocks] == [1] * 3 + [2] * 3
    assert made_up.is_over


async def test_endless_ladder_never_finishes(tmp_path):
    made_up = league(tmp_path, format="ladder", games=1)

    assert await made_up.play(40) == 40
    assert not made_up.is_over
