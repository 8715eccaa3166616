"""No two entrants of one owner are in a block, if that is possible. Otherwise as few as possible share a table."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.competition.formats import Format, Gauntlet, Knockout, Ladder, RoundRobin, Season, Swiss
from arena.competition.formats.round_shape import (
    MAX_GAMES_RATIO,
    RoundShape,
    choose_players,
    place_players,
    shape_round,
)
from arena.competition.league.field import Field
from tests.support.leagues import blocks_of, count_games, count_same_owner_pairs, field, play_league, tables_of


def shared_blocks(format_: Format, entries: Field) -> int:
    """Return the number of blocks with two entrants of one owner."""
    blocks = blocks_of(play_league(format_, entries, most=1000))
    return sum(count_same_owner_pairs(entries, block.names) > 0 for block in blocks)


@pytest.mark.parametrize("count", range(8, 13))
@pytest.mark.parametrize("owned", [2, 3])
@pytest.mark.parametrize("games", [160, 161])
def test_two_or_three_bots_of_one_owner_never_share_a_block(count, owned, games):
    """The schedule of old leagues of these sizes had them together in 60 to 100 % of the blocks."""
    entries = field(count, 4, "a" * owned)

    assert shared_blocks(Season(games), entries) == 0
    assert shared_blocks(Season(games), replace(entries, keeps_owners_apart=False)) > 0.5 * games / 3


FORMS = [
    Season(60),
    Season(61, tables=2),
    Gauntlet("b11", 40),
    Swiss(4, games=1),
    Knockout(games=1),
    Ladder(rounds=5, games=1),
]


@pytest.mark.parametrize("format_", FORMS, ids=repr)
@pytest.mark.parametrize("owners", ["aa", "aabb", "aaabbc c", "aabbccddeeff"])
def test_first_rounds_of_every_format_keep_owners_apart(format_, owners):
    """In later rounds of a knockout the tables are fewer than the bots that one owner may still have."""
    entries = field(15, 4, owners[:11])
    most = 1 if isinstance(format_, Knockout) else 100

    blocks = blocks_of(play_league(format_, entries, most=most))

    assert blocks
    assert [block for block in blocks if count_same_owner_pairs(entries, block.names)] == []


def test_set_of_round_robin_shares_a_block_with_no_other_set_of_its_owners():
    """Every set plays, even one with two bots of an owner. So only two tables of a block can be kept apart."""
    for owners in ("aa", "aabb", "aaabbb"):
        entries = field(9, 3, owners)
        for block in RoundRobin().draw_round(1, entries):
            inside = sum(count_same_owner_pairs(entries, table) for table in block.tables)
            assert count_same_owner_pairs(entries, block.names) == inside


def test_blocks_keep_as_many_tables_as_owners_allow():
    """With one owner's two bots, four tables make two blocks of two tables, not one of four or four of one."""
    blocks = blocks_of(play_league(Season(160), field(16, 4, "aa"), most=1000))

    assert {len(block.tables) for block in blocks} == {2}


def test_bots_that_take_turns_play_at_least_half_as_often():
    for count, owned in ((7, 2), (8, 3), (9, 3), (10, 3), (11, 3)):
        entries = field(count, 4, "a" * owned)
        games = count_games(blocks_of(play_league(Season(240), entries, most=1000)), entries.names())
        assert max(games) <= MAX_GAMES_RATIO * min(games) + 1, (count, owned)
        assert max(games[:owned]) - min(games[:owned]) <= 1


@pytest.mark.slow
def test_kinds_of_score_are_not_mixed():
    """Either every block of a season has a second table, or none has."""
    for count, owners, games in product(range(8, 25), ("aa", "aabb", "aaabb", "aaaa"), (40, 41, 43)):
        blocks = blocks_of(play_league(Season(games), field(count, 4, owners), most=1000))
        assert len({len(block.tables) > 1 for block in blocks}) == 1, (count, owners)
        assert games - 1 <= len(tables_of(blocks)) <= games


def fewest_pairs(people: tuple[int, ...], tables: int, size: int, owners: str) -> int:
    """Return the fewest pairs of one owner at a table, over all ways to seat these people, by trying them all."""
    if not tables:
        return 0
    first, *others = people
    return min(
        sum(owners[one] == owners[other] for one, other in combinations((first, *mates), 2))
        + fewest_pairs(tuple(one for one in others if one not in mates), tables - 1, size, owners)
        for mates in combinations(others, size - 1)
    )


@pytest.mark.parametrize("owners", ["aaaaabcd", "aaaabbbb", "aaaaaabb", "aaaabbcc", "aaaaaaaa", "aaaaaabc"])
def test_fewest_possible_bots_share_a_table_where_owners_cannot_be_apart(owners):
    """Everybody plays in each round, so trying all seatings of one round gives the minimum."""
    entries = field(8, 4, owners)
    least = fewest_pairs(tuple(range(8)), 2, 4, owners)

    for round_blocks in (
        [block for block in blocks_of(play_league(Season(40), entries, most=100)) if block.round == number]
        for number in range(1, 21)
    ):
        tables = tables_of(round_blocks)
        assert sum(count_same_owner_pairs(entries, table) for table in tables) == least
        assert [len(block.tables) for block in round_blocks] == [1, 1]


def can_seat_apart(owners: str, shape: RoundShape, size: int) -> bool:
    """Return whether some choice of players fits the blocks with no owner twice in one, by trying all choices."""
    sizes, labels = shape.block_sizes(size), sorted(set(owners))
    counts = Counter(owners)
    reached = {tuple(counts[label] for label in labels)}
    for needed in sizes:
        reached = {
            tuple(left - (index in chosen) for index, left in enumerate(before))
            for before in reached
            for chosen in combinations([index for index, left in enumerate(before) if left], needed)
        }
    return bool(reached)


@settings(max_examples=300, deadline=None)
@given(st.text("abcdef", min_size=2, max_size=12), st.integers(2, 3), st.integers(1, 4), st.integers(1, 6))
def test_players_are_found_exactly_where_they_exist(owners, size, tables, blocks):
    """The matroid's greedy choice fills the blocks if and only if any choice does."""
    shape = RoundShape(tables, min(blocks, tables), is_strict=True)

    players = choose_players(range(len(owners)), shape, size, owners)

    assert (len(players) == tables * size) == can_seat_apart(owners, shape, size)
    if len(players) == tables * size:
        grouping = place_players(players, (), shape, size, owners)
        assert sorted(one for table in grouping.tables for one in table) == sorted(players)
        for block in grouping.blocks():
            present = [owners[one] for table in block for one in table]
            assert len(set(present)) == len(present)


@settings(max_examples=200, deadline=None)
@given(st.text("abcdefghij", min_size=2, max_size=14), st.integers(2, 3), st.integers(1, 4), st.integers(1, 12))
def test_strict_round_can_be_seated(owners, size, most, left):
    shape = shape_round(owners, size, most, left)

    assert shape.tables <= left
    if shape.is_strict and shape.tables:
        assert can_seat_apart(owners, shape, size)


OLD_SCHEDULES = {
    Season(61): "34b77d2ead4b",
    Season(45, tables=2): "636d781ddc29",
    RoundRobin(): "f01216d0f84b",
    Gauntlet("b00", 30): "df8778662fa6",
    Swiss(4, games=1): "9c6125981a2c",
    Knockout(): "1481c3560450",
    Ladder(rounds=6, games=1): "ad3da652c4e7",
}
"""The start of the hash of each schedule of twelve entrants, drawn by the code before schedules kept owners apart."""


@pytest.mark.parametrize("format_", OLD_SCHEDULES, ids=repr)
def test_schedule_of_old_league_is_drawn_as_before(format_):
    entries = replace(field(12, 3, "aaabbb"), keeps_owners_apart=False)

    blocks = blocks_of(play_league(format_, entries))

    assert hashlib.sha256(repr(blocks).encode()).hexdigest().startswith(OLD_SCHEDULES[format_])
