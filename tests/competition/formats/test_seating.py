"""Seats: within one table by a square, over a season where each entrant has sat least."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from arena.competition.formats.seating import seat_balanced, seat_least_used


@pytest.mark.parametrize("seats", range(2, 11))
def test_every_entrant_sits_in_each_seat_once(seats):
    names = "abcdefghij"[:seats]

    for start in (0, seats):
        games = [seat_balanced(names, start + game) for game in range(seats)]

        assert all(sorted(game) == sorted(names) for game in games)
        assert all(sorted(at_seat) == sorted(names) for at_seat in zip(*games, strict=True))


@pytest.mark.parametrize("seats", range(3, 11))
def test_every_entrant_follows_every_other_about_equally_often(seats):
    """Williams: along the row each pair once in n games for an even n, twice in 2n for an odd one."""
    names = "abcdefghij"[:seats]
    count = seats if seats % 2 == 0 else 2 * seats

    rows = [seat_balanced(names, game) for game in range(count)]

    pairs = Counter(pair for row in rows for pair in pairwise(row))
    assert len(pairs) == seats * (seats - 1)
    assert set(pairs.values()) == {1 if seats % 2 == 0 else 2}


def test_entrants_sit_where_they_have_sat_least():
    seats = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]])

    assert seat_least_used([0, 1, 2], seats, np.zeros((3, 3), np.int64)) == (2, 0, 1)


def test_equal_seats_are_chosen_by_the_least_followed_neighbour():
    """0, 1, 2 sat round the table once in this order: now the reverse."""
    follows = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])

    order = seat_least_used([0, 1, 2], np.zeros((3, 3), np.int64), follows)

    assert {(order[seat - 1], one) for seat, one in enumerate(order)} == {(0, 2), (2, 1), (1, 0)}
