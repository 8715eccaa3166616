"""A round robin plays every set in every seat, in blocks of at least two tables."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from arena.competition.formats import RoundRobin
from tests.support.leagues import count_same_owner_pairs, count_seatings, field, tables_of

SMALL = [(count, seats) for seats in range(2, 7) for count in range(seats, 21) if comb(count, seats) * seats <= 1300]


@pytest.mark.parametrize(("count", "seats"), SMALL)
def test_every_set_plays_in_each_seat(count, seats):
    entries = field(count, seats)
    turns = 6 if (count, seats) == (7, 3) else seats  # 105 games of three among seven cannot all have a partner

    blocks = RoundRobin().draw_round(1, entries)

    sets = Counter(frozenset(table) for table in tables_of(blocks))
    assert sets == {frozenset(people): turns for people in combinations(entries.names(), seats)}
    assert len(set(count_seatings(blocks, entries.names()).values())) == 1
    assert all(len(set(block.names)) == len(block.names) for block in blocks)
    assert RoundRobin().draw_round(2, entries) == ()


@pytest.mark.parametrize(("count", "seats"), [(11, 5), (9, 4), (7, 3), (5, 2), (15, 3), (14, 4)])
@pytest.mark.parametrize("most", [2, 4])
def test_no_table_is_alone_where_two_can_be_made(count, seats, most):
    """N = 2n + 1 is the hard case: a set has n + 1 others to be paired with."""
    sizes = {len(block.tables) for block in RoundRobin(tables=most).draw_round(1, field(count, seats))}

    assert min(sizes) >= 2
    assert max(sizes) <= max(most, 3)


def test_owners_are_separated_in_blocks_where_others_fit():
    """Twelve, two per owner: of about 165 blocks nearly all have sets that can be paired with another one."""
    entries = field(12, 3, "aa")

    blocks = RoundRobin().draw_round(1, entries)

    avoidable = [
        block
        for block in blocks
        if count_same_owner_pairs(entries, block.names) > sum(count_same_owner_pairs(entries, t) for t in block.tables)
    ]
    assert len(avoidable) < len(blocks) / 20


def test_too_many_games_are_refused_and_the_season_is_suggested():
    (fault,) = RoundRobin().why_not_playable(field(15, 4))

    assert fault.allowed == "expected at most 5000 games, these entrants make 5460; format season takes any number"
    assert RoundRobin().why_not_playable(field(14, 4)) == []
