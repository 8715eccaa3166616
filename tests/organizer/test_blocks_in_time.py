"""How many blocks of a comparison are under way at once, on machines that are quick and slow."""

import pytest

from arena.organizer.compare.comparison import COMPARISON_POLICY
from arena.organizer.compare.comparison_run import blocks_in_time

LIMIT_S = 30.0
START_S = 5.0
"""Seconds until all bots are connected."""


def completed_blocks(block_s: float, ahead: int | None) -> int:
    """Return how many blocks are complete in time, on a machine that takes `block_s` for one that it plays alone.

    Blocks under way share the machine. `ahead` is how many there are; None lets the comparison decide.
    """
    now_s, done, left = START_S, 0, list[float]()
    while now_s < LIMIT_S:
        wanted = ahead or min(blocks_in_time(done, now_s, LIMIT_S - now_s), int(COMPARISON_POLICY.max_ahead))
        left += [block_s] * (wanted - len(left))
        step_s = 0.05
        left = [each - step_s / len(left) for each in left]
        done += sum(each <= 1e-9 for each in left)
        left = [each for each in left if each > 1e-9]
        now_s += step_s
    return done


@pytest.mark.parametrize(("block_s", "least"), [(0.5, 40), (4, 5), (10, 2), (20, 1)])
def test_slow_machine_completes_nearly_as_many_blocks_as_there_is_time_for(block_s, least):
    assert least <= completed_blocks(block_s, None) <= (LIMIT_S - START_S) / block_s


def test_blocks_that_all_begin_at_once_are_complete_too_late():
    """As it was: a rough answer of 30 s on a busy machine had 42 games and no complete block."""
    assert completed_blocks(10, 4) == 0


@pytest.mark.parametrize(
    ("done", "played_s", "left_s", "blocks"),
    [(0, 0, 30, 1), (0, 20, 10, 1), (4, 10, 20, 8), (4, 10, 2, 1), (9, 31, -1, 1)],
)
def test_blocks_in_time_follow_the_speed_so_far(done, played_s, left_s, blocks):
    assert blocks_in_time(done, played_s, left_s) == blocks
