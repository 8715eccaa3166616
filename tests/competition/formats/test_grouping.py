"""Grouping entrants into tables: small cases whose best result is easy to see."""

import numpy as np

from arena.competition.formats.grouping import Grouping, block_count, find_cheapest, improve, total_cost
from arena.competition.formats.separation import build_costs, spread_owners


def pairs(count: int, **dear: int) -> np.ndarray:
    """Costs of pairs, `p01=5` for 0 and 1; the others cost nothing."""
    matrix = np.zeros((count, count), np.int64)
    for name, cost in dear.items():
        one, other = int(name[1]), int(name[2])
        matrix[one, other] = matrix[other, one] = cost
    return matrix


def test_costly_pair_is_separated():
    start = Grouping(((0, 1), (2, 3)), (), 1)

    found = improve(start, build_costs("abcd", pairs(4, p01=1, p23=1)))

    assert sorted(map(sorted, found.tables)) in ([[0, 2], [1, 3]], [[0, 3], [1, 2]])


def test_cost_counts_each_pair_once_and_each_player():
    """Tables 01 and 23 in one block: 5 for the pair 01, 7 for the owner of 0 and 2, 3 for the players."""
    grouping = Grouping(((0, 1), (2, 3)), (4,), 1)
    three = build_costs("abacd", pairs(5, p01=5), games=[1, 0, 0, 0, 0])

    owner_in_block, game = int(three.block[0, 2]), int(three.playing[0])

    assert total_cost(grouping, three) == 5 + owner_in_block + game


def test_most_frequent_player_sits_out():
    start = Grouping(((0, 1),), (2,), 1)

    assert improve(start, build_costs("abc", pairs(3, p12=9), games=[1, 0, 0])).sitting_out == (0,)


def test_costlier_player_sits_out_among_equally_frequent_ones():
    start = Grouping(((0, 1),), (2,), 1)

    assert improve(start, build_costs("abc", pairs(3, p01=9, p02=9))).tables == ((1, 2),)


def test_owners_are_separated_at_any_other_cost():
    start = Grouping(((0, 1), (2, 3)), (), 1)

    found = improve(start, build_costs("aabb", pairs(4, p02=99, p03=99, p12=99, p13=99)))

    assert all(len({one // 2 for one in table}) == 2 for table in found.tables)


def test_owners_are_separated_across_blocks_too():
    """Tables 0 and 2 are one block, 1 and 3 the other: each block gets one of an owner's two."""
    start = Grouping(((0, 2), (1, 4), (3, 5), (6, 7)), (), 2)

    found = improve(start, build_costs("aabbcdef", pairs(8)))

    blocks = [{one for table in block for one in table} for block in found.blocks()]
    assert all(len(block & {0, 1}) == 1 and len(block & {2, 3}) == 1 for block in blocks)


def test_entrants_of_an_owner_never_share_a_table_where_there_are_enough_tables():
    grouping = spread_owners(range(12), (), 4, 4, "aaaabbbbcccc")

    assert [sorted(one // 4 for one in table) for table in grouping.tables] == [[0, 1, 2]] * 4


def test_cheapest_of_several_starts_is_taken():
    """No exchange of two improves the first; the second costs nothing."""
    first, second = Grouping(((0, 1), (2, 3)), (), 1), Grouping(((0, 2), (1, 3)), (), 1)
    weighed = build_costs("abcd", pairs(4, p01=1, p23=1))

    assert total_cost(find_cheapest([first, second], weighed), weighed) == 0


def test_blocks_are_even_and_leave_no_table_alone():
    sizes = {}
    for most in (2, 3, 4):
        for count in range(2, 20):
            tables = tuple((one,) for one in range(count))
            sizes[most, count] = sorted(len(block) for block in Grouping(tables, (), block_count(count, most)).blocks())

    assert all(each[0] >= 2 and each[-1] - each[0] <= 1 for each in sizes.values())
    assert all(each[-1] <= max(most, 3) for (most, _), each in sizes.items())
    assert sizes[4, 15] == [3, 4, 4, 4]
