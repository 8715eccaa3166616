"""Swiss: equal scores meet, rematches are avoided where possible, byes rotate from the bottom."""

from collections import Counter
from itertools import combinations

import pytest

from arena.competition.formats import Swiss
from tests.support.leagues import (
    by_name,
    count_same_owner_pairs,
    field,
    play_blocks,
    play_league,
    tables_of,
    with_late_entrant,
)


def companies(results, number):
    """Return the sets of entrants that shared a table in a round."""
    return {frozenset(table.seats) for result in results if result.block.round == number for table in result.tables}


def test_winners_meet_winners():
    """Eight in pairs, the higher name wins: after two rounds the two who won twice meet, and so do those who lost."""
    results = play_league(Swiss(3, games=1), field(8, 2), by_name)

    scores = Swiss(3, games=1).scores(field(8, 2), results, 3)

    assert sorted(scores.values()) == [0, 0, 1, 1, 1, 1, 2, 2]
    assert all(len({scores[name] for name in table}) == 1 for table in companies(results, 3))


def test_score_is_the_mean_over_the_games_of_a_round():
    """Of three, the higher name is always first: 1, 1/2 and 0 points, whatever the number of games."""
    assert Swiss(1).scores(field(3, 3), play_league(Swiss(1), field(3, 3), by_name), 2) == {
        "b02": 1,
        "b01": 0.5,
        "b00": 0,
    }


@pytest.mark.parametrize(("count", "seats", "rounds"), [(16, 2, 7), (60, 4, 6), (30, 3, 5), (40, 5, 4)])
def test_large_field_has_no_rematches(count, seats, rounds):
    results = play_league(Swiss(rounds, games=1), field(count, seats))

    met = Counter(
        pair
        for number in range(1, rounds + 1)
        for table in companies(results, number)
        for pair in combinations(sorted(table), 2)
    )
    assert max(met.values()) == 1


def test_byes_rotate_from_the_bottom():
    """Nine at tables of four: one rests each round, never the same, and after the first round one that had lost."""
    entries = field(9, 4)
    results = play_league(Swiss(5, games=1), entries, by_name)
    rested = []
    for number in range(1, 6):
        scores = Swiss(5, games=1).scores(entries, results, number)
        (one,) = set(entries.names()) - {name for table in companies(results, number) for name in table}
        fresh = [score for name, score in scores.items() if name not in rested]
        assert scores[one] == min(fresh)
        rested.append(one)

    assert len(set(rested)) == 5


def test_bye_and_missed_round_score_as_stated():
    entries = with_late_entrant(field(4, 4), "late", since=3)
    results = play_league(Swiss(3, games=1, bye=0.25), entries, by_name)

    assert Swiss(3, games=1, bye=0.25).scores(entries, results, 3)["late"] == 0.5


def test_each_plays_in_each_seat_in_a_round():
    blocks = Swiss(1).draw_round(1, field(12, 4))

    assert len(blocks) == 4
    for name in blocks[0].names:
        assert {table.index(name) for table in tables_of(blocks) if name in table} == {0, 1, 2, 3}


def test_owners_do_not_meet_though_their_scores_are_equal():
    entries = field(12, 3, "aaaabbbb")

    tables = tables_of(result.block for result in play_league(Swiss(5, games=1), entries, by_name))

    assert sum(count_same_owner_pairs(entries, table) for table in tables) == 0


def test_it_ends_when_no_table_can_be_filled():
    assert Swiss(4).draw_round(5, field(8, 4), play_blocks(())) == ()


def test_entrant_after_the_last_round_is_refused():
    (fault,) = Swiss(4).why_not_playable(with_late_entrant(field(8, 4), "late", since=5))

    assert str(fault) == "since must be a round from 1 to 4 for 'late', got 5"
