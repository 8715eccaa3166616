"""Which blocks are played when, until a league is over."""

from typing import Any

import pytest

from arena.hosting.file.league_file import read_league_file
from tests.hosting.leagues import write_league
from tests.hosting.simulated_league import SimulatedLeague


def league(folder, bots: int = 9, **settings: Any) -> SimulatedLeague:
    return SimulatedLeague(read_league_file(write_league(folder, bots, **settings)))


def ladder(folder, budget_s: float) -> SimulatedLeague:
    """A ladder in rounds of three blocks, by the clock."""
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
async def test_it_is_over_when_nothing_is_left_and_not_before(tmp_path, name):
    made_up = league(tmp_path, **{"format": name, **FORMATS[name]})
    were_over = []

    while await made_up.play(1):
        were_over.append(made_up.is_over)

    assert were_over == [False] * (len(were_over) - 1) + [True]
    assert len(were_over) > 1


async def test_a_league_of_which_nothing_is_played_is_not_over(tmp_path):
    assert not league(tmp_path).is_over


async def test_somebody_who_left_does_not_keep_a_league_from_being_over(tmp_path):
    """Two tables were planned for each round, and then there was one: fewer games than were planned are all."""
    made_up = league(tmp_path, 6, format="swiss", games=1, rounds=3, tables=None)
    await made_up.play(1)
    await made_up.amend("withdraw", "bot1")

    await made_up.play()

    assert made_up.is_over
    assert sum(len(block.tables) for block in made_up.blocks) == 2 + 1 + 1


async def test_a_league_is_not_over_before_its_play_off_is(tmp_path):
    """What is over tells its secret, and the deals that are left would follow from that."""
    made_up = league(tmp_path, 6, games=12, play_off=6)
    regular = await made_up.play(6)
    is_over = made_up.is_over

    await made_up.play()

    assert regular == 6
    assert not is_over
    assert made_up.is_over
    assert [block.label for block in made_up.blocks].count("play-off") == len(made_up.blocks) - 6 > 0


async def test_a_play_off_waits_for_the_last_block_of_a_schedule_that_is_fixed(tmp_path):
    made_up = league(tmp_path, 6, games=12, play_off=6)

    taken = made_up._schedule().take(100)

    assert [block.label for block in taken] == [""] * 6


async def test_a_play_off_that_was_interrupted_goes_on_with_the_same_blocks(tmp_path):
    whole, cut = (league(tmp_path / name, 6, games=12, play_off=6) for name in ("whole", "cut"))
    await whole.play()

    await cut.play(7)
    await cut.begin()
    await cut.amend("disqualify", whole.blocks[-1].tables[0][0])
    while await cut.play(1):
        pass

    assert cut.blocks == whole.blocks


async def test_by_hours_no_round_begins_when_the_time_is_over_and_the_last_one_is_finished(tmp_path):
    made_up = ladder(tmp_path, 95)

    await made_up.play(each_s=10)

    assert [block.round for block in made_up.blocks] == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert made_up.is_over
    assert not await made_up.play()


async def test_a_ladder_by_hours_is_not_over_before(tmp_path):
    made_up = ladder(tmp_path, 95)
    await made_up.play(9, each_s=10)
    is_over = made_up.is_over

    made_up.now += 5

    assert not is_over
    assert made_up.is_over


async def test_a_break_counts_and_what_had_begun_is_finished_all_the_same(tmp_path):
    made_up = ladder(tmp_path, 95)
    await made_up.play(4, each_s=10)
    await made_up.begin()

    made_up.now += 3600
    is_over = made_up.is_over
    await made_up.play()

    assert not is_over
    assert [block.round for block in made_up.blocks] == [1] * 3 + [2] * 3
    assert made_up.is_over


async def test_a_ladder_without_an_end_is_never_over(tmp_path):
    made_up = league(tmp_path, format="ladder", games=1)

    assert await made_up.play(40) == 40
    assert not made_up.is_over
