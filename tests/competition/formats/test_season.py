"""A season is balanced, separates owners and leaves no table alone in its block."""

from statistics import pstdev

import pytest

from arena.competition.formats import Season
from tests.support.leagues import (
    blocks_of,
    count_games,
    count_meetings,
    count_same_owner_pairs,
    count_seatings,
    field,
    play_league,
    spread,
    tables_of,
    with_late_entrant,
)


def season(format_, entries):
    return blocks_of(play_league(format_, entries, most=1000))


SIZES = [
    (4, 2, 60),
    (9, 2, 200),
    (10, 3, 100),
    (5, 4, 60),
    (13, 4, 200),
    (16, 4, 160),
    (31, 4, 400),
    (12, 6, 100),
    (25, 10, 120),
]


@pytest.mark.parametrize(("count", "seats", "size"), SIZES)
def test_all_play_meet_and_sit_about_equally_often(count, seats, size):
    """The format states these bounds."""
    entries = field(count, seats)

    blocks = season(Season(size), entries)

    assert spread(count_games(blocks, entries.names())) <= 1
    assert spread(count_seatings(blocks, entries.names())) <= 3
    met = count_meetings(blocks, entries.names())
    assert pstdev(met.values()) < 1
    assert spread(met) <= (3 if seats <= 5 else 6)


def test_two_seat_pairs_play_a_full_round_robin_in_the_same_games():
    """Four bots, two at a table: three rounds in which each meets each once, twice over."""
    entries = field(4, 2)

    assert set(count_meetings(season(Season(12), entries), entries.names()).values()) == {2}


@pytest.mark.parametrize(("count", "seats", "most"), [(8, 4, 4), (13, 3, 2), (20, 4, 4), (30, 4, 3)])
def test_no_table_is_alone_in_its_block(count, seats, most):
    blocks = season(Season(101, most), field(count, seats))

    assert min(len(block.tables) for block in blocks) >= 2
    assert max(len(block.tables) for block in blocks) <= max(most, 3)
    assert len(tables_of(blocks)) in (100, 101)


def test_small_field_has_blocks_of_one_table():
    blocks = season(Season(10), field(7, 4))

    assert [len(block.tables) for block in blocks] == [1] * 10


def test_owners_never_share_a_table_or_block_where_there_is_room():
    """Twenty at four-seat tables, blocks of two and three tables: two of an owner need never meet."""
    entries = field(20, 4, "aabbccdd")

    blocks = season(Season(200), entries)

    assert sum(count_same_owner_pairs(entries, table) for table in tables_of(blocks)) == 0
    assert sum(count_same_owner_pairs(entries, block.names) for block in blocks) == 0


def test_owner_of_half_the_field_is_spread_evenly_over_tables():
    """Two of its four must share a table, but three need not."""
    entries = field(16, 4, "aaaaaaaa")

    tables = tables_of(season(Season(80), entries))

    assert {count_same_owner_pairs(entries, table) for table in tables} == {1}


def test_late_entrant_plays_as_often_as_the_others_from_then_on():
    entries = with_late_entrant(field(11, 4), "late", since=11)

    blocks = [block for block in season(Season(100), entries) if block.round >= 11]

    assert spread(count_games(blocks, entries.names())) <= 2


def test_one_game_is_no_season_for_a_field_of_two_tables():
    assert [str(fault) for fault in Season(1).why_not_playable(field(8, 4))] == [
        "games must be at least 2, one for each table of a block, got 1"
    ]
    assert Season(1).why_not_playable(field(7, 4)) == []
