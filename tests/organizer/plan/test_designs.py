"""A trial tries two designs on its games: one table for each deal, and several."""

from collections.abc import Sequence

import numpy as np
import pytest

from arena.organizer.plan.designs import DEFAULT_SPREAD, Scoring, TriedDesigns, try_designs
from tests.competition.league.leagues import block, play_league

ALIKE, APART = [0.0] * 8, [2.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0, -2.0]


def tried(luck: float, blocks: int, seed: int = 1, strengths: Sequence[float] = ALIKE) -> TriedDesigns:
    return try_designs(play_league(np.random.default_rng(seed), strengths, blocks, luck=luck))


def test_much_luck_of_the_deal_speaks_for_several_tables():
    """If bots are equal, the deal decides: the results of those with the same hand explain much."""
    designs = tried(luck=3.0, blocks=60)

    assert designs.spread(Scoring.SEVERAL_TABLES) < 0.8 * designs.spread(Scoring.ONE_TABLE)
    assert designs.differ(Scoring.SEVERAL_TABLES, Scoring.ONE_TABLE)


def test_without_luck_of_the_deal_designs_rarely_differ():
    """At 95 % one in twenty trials may find a difference where there is none."""
    found = [
        tried(luck=0.0, blocks=40, seed=seed).differ(Scoring.SEVERAL_TABLES, Scoring.ONE_TABLE) for seed in range(20)
    ]

    assert sum(found) <= 4


def test_few_blocks_leave_points_plain_in_both_designs_or_in_one():
    """19 blocks of two tables are 38 of one: enough for one table, too few for two."""
    designs = tried(luck=0.0, blocks=19, strengths=APART)

    assert not designs.is_long_enough
    assert designs.squares[Scoring.SEVERAL_TABLES] == designs.squares[Scoring.PLAIN]
    assert designs.squares[Scoring.ONE_TABLE] != designs.squares[Scoring.PLAIN]


def test_plain_spread_is_that_of_points_around_the_means_of_their_entrants():
    """Ann has 1, 1, 0, 0 and bob 0, 0, 1, 1: eight squares of 0.25, and two means taken from eight scores."""
    lines = ["ann 1 | bob 2"] * 2 + ["bob 1 | ann 2"] * 2

    designs = try_designs([block(number, line) for number, line in enumerate(lines)])

    assert designs.spread(Scoring.PLAIN) == pytest.approx((8 * 0.25 / 6) ** 0.5)


def test_one_game_measures_no_spread():
    designs = try_designs([block(1, "ann 1 | bob 2")])

    assert designs.spread(Scoring.ONE_TABLE) == DEFAULT_SPREAD
    assert not designs.differ(Scoring.ONE_TABLE, Scoring.SEVERAL_TABLES)
