"""A knockout: the better half advances, up to a final at one table."""

from collections import Counter

import pytest

from arena.competition.formats import Knockout
from tests.support.leagues import (
    by_name,
    count_same_owner_pairs,
    field,
    places_from_order,
    play_blocks,
    play_league,
    tables_of,
    with_last_round,
)


def survivors(results, number):
    return {name for result in results if result.block.round == number for name in result.block.names}


@pytest.mark.parametrize(
    ("count", "seats", "rounds"),
    [
        (16, 4, [16, 8, 4]),
        (8, 2, [8, 4, 2]),
        (6, 2, [4, 4, 2]),  # two rest in the first round
        (12, 3, [12, 6, 3]),  # one of each three advances, and the two best seconds
        (20, 10, [20, 10]),
        (7, 4, [4, 4, 4]),  # two of four are eliminated, then one: at least half of a table advances
        (4, 4, [4]),
    ],
)
def test_field_shrinks_by_round_as_stated(count, seats, rounds):
    results = play_league(Knockout(games=1), field(count, seats))

    assert [len(survivors(results, number)) for number in range(1, len(rounds) + 1)] == rounds
    assert max(result.block.round for result in results) == len(rounds)


def test_better_half_of_each_table_advances():
    first = Knockout(games=1).draw_round(1, field(16, 4))
    results = play_league(Knockout(games=1), field(16, 4), by_name)

    expected = {name for table in first[0].tables for name in sorted(table)[2:]}

    assert survivors(results, 2) == expected


def test_best_entrant_wins_the_final_and_is_first():
    results = play_league(Knockout(), field(16, 4), by_name)

    order = Knockout().final_order(field(16, 4), results)

    assert order[0] == "b15"
    assert [result.block.label for result in results if result.block.round == 3] == ["final"] * 4
    assert {result.block.label for result in results if result.block.round < 3} == {""}
    assert set(order[:4]) == survivors(results, 3)
    assert set(order[:8]) == survivors(results, 2)
    assert len(order) == 16


def test_tie_is_decided_by_points_over_all_games_then_first_places():
    """Two games of three: b00 is 1st and 3rd, b02 3rd and 1st, b01 2nd twice. All have half the points, b01 no win."""
    entries = field(3, 3)
    orders = iter([["b00", "b01", "b02"], ["b02", "b01", "b00"]])

    results = play_blocks(
        Knockout(games=2).draw_round(1, entries), lambda table, block: places_from_order(table, next(orders))
    )

    assert Knockout(games=2).final_order(entries, results)[2] == "b01"


def test_remaining_ties_are_decided_by_lots():
    """All share the first place: over many seeds each of four advances about half of the time."""
    gone_on: Counter[str] = Counter()
    for seed in range(200):
        entries = field(8, 4, seed=bytes([seed]))
        results = play_league(Knockout(games=1), entries, lambda table, block: (1,) * 4)
        gone_on.update(survivors(results, 2))

    assert set(gone_on) == set(entries.names())
    assert all(70 < count < 130 for count in gone_on.values())  # 100, give or take four standard deviations


def test_earlier_opponents_do_not_meet_again_if_avoidable():
    """Sixteen in fours: two of each table advance to two tables, one to each."""
    results = play_league(Knockout(games=1), field(16, 4))
    first, second = (tables_of(result.block for result in results if result.block.round == n) for n in (1, 2))

    assert all(len(set(one) & set(other)) == 1 for one in first for other in second)


def test_owners_are_separated_while_there_are_enough_tables():
    entries = field(16, 4, "aaaabbbb")

    blocks = Knockout(games=1).draw_round(1, entries)

    assert [count_same_owner_pairs(entries, block.names) for block in blocks] == [0] * 4


def test_withdrawn_entrant_is_replaced_by_the_best_eliminated_one():
    entries = field(8, 4)
    results = play_blocks(Knockout(games=1).draw_round(1, entries), by_name)
    finalists = set(Knockout(games=1).draw_round(2, entries, results)[0].names)
    gone = max(finalists)

    again = set(Knockout(games=1).draw_round(2, with_last_round(entries, gone, until=1), results)[0].names)

    table = next(table for table in results[0].block.tables if gone in table)
    assert finalists - again == {gone}
    assert len(again - finalists) == 1
    assert (again - finalists) <= {sorted(each)[1] for each in results[0].block.tables}
    assert len(table) == 4
