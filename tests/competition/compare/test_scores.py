"""The score of a block, by hand."""

from collections.abc import Sequence

import pytest

from arena.competition.compare.lanes import Lanes
from arena.competition.compare.scores import CostlyGame, beaten_share, find_costly_games, leading_blocks, score_block
from arena.competition.league.field import Field
from arena.competition.league.model import BlockResult, TableResult

LANES = Lanes(("x", "y"), b"seed")
"""Tables of three: lanes 0 and 1 hold the first seat, 2 and 3 the second, 4 and 5 the third."""


def result(number: int, *places: tuple[int, int, int]) -> BlockResult:
    block = LANES.draw_round(1, Field((), 3, b""))[number - 1]
    tables = zip(block.tables, places, strict=True)
    return BlockResult(
        block,
        tuple(
            TableResult(f"{number}{letter}", seats, each, "finished")
            for letter, (seats, each) in zip("abcdef", tables, strict=True)
        ),
    )


def test_score_is_the_mean_lead_in_places_per_game():
    """First before third, second before first, third before third: (2 - 1 + 0) / 3."""
    block = result(1, (1, 2, 3), (3, 1, 2), (1, 2, 3), (2, 1, 3), (1, 2, 3), (2, 1, 3))

    assert score_block(block, LANES) == 1 / 3


def test_shared_place_counts_as_the_mean_of_both():
    """At the first place together each has one and a half."""
    block = result(1, (1, 1, 3), (1, 2, 3), *([(1, 2, 3)] * 4))

    assert score_block(block, LANES) == -0.5 / 3


def test_share_that_the_baseline_beats_is_that_of_its_own_tables():
    """It is last of three, then first, then shares the first place with one: 0, 1 and 3/4 of its opponents."""
    block = result(1, (1, 2, 3), (3, 1, 2), (1, 2, 3), (2, 1, 3), (1, 2, 3), (3, 1, 1))

    assert beaten_share([block], LANES) == pytest.approx((0 + 1 + 0.75) / 3)


def best(number: int, seats: Sequence[int] = (0, 1, 2)) -> BlockResult:
    """Return a block in which the candidate is first in all seats, and the baseline last."""
    first, last = ((1, 2, 3), (2, 1, 3), (2, 3, 1)), ((3, 1, 2), (1, 3, 2), (1, 2, 3))
    return result(number, *(table for seat in seats for table in (first[seat], last[seat])))


def test_score_of_a_block_is_at_most_one_less_than_the_seats():
    assert score_block(best(1), LANES) == 2


def test_block_counts_when_all_before_it_have_ended():
    """Quick games differ from long ones."""
    assert leading_blocks([best(2), best(4)]) == []
    assert leading_blocks([best(4), best(2), best(1)]) == [best(1), best(2)]


def test_costliest_game_comes_first_and_names_the_baselines_with_that_hand():
    """In the first seat it is second where the baseline is first, in the third seat third where that is first."""
    level = (1, 2, 3)
    lost = result(1, (2, 1, 3), level, level, level, level, (2, 3, 1))
    worse = result(2, (3, 1, 2), level, level, (3, 1, 2), level, level)

    assert find_costly_games([lost, best(3), worse], LANES) == [
        CostlyGame("2a", 0, 2, "2b"),
        CostlyGame("1e", 2, 2, "1f"),
        CostlyGame("2c", 1, 1, "2d"),
        CostlyGame("1a", 0, 1, "1b"),
    ]


def test_at_most_five_games_are_listed():
    level = (1, 2, 3)
    lost = [result(number, (3, 1, 2), level, (1, 3, 2), level, level, (2, 3, 1)) for number in (1, 2)]

    assert [each.match_id for each in find_costly_games(lost, LANES)] == ["2e", "2a", "1e", "1a", "2c"]
