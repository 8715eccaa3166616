"""A short version of `make pool-week`: everybody gets its share of games, and the intervals hold the truth."""

import asyncio

import pytest

from tools.studies.pool_week import Week, count_held


@pytest.mark.slow
@pytest.mark.long
def test_in_half_a_day_of_forty_bots_shares_are_even_and_intervals_hold():
    week = Week(40, 0.5, seed=3)
    asyncio.run(week.run())
    shares = [share for name, share in week.shares().items() if week.bots[name].connected_s > 4 * 3_600]
    assert len(shares) > 20
    assert min(shares) > 0.9
    assert max(shares) < 1.1
    held, intervals = count_held(week, week.fit())
    assert intervals > 30
    assert held >= 0.85 * intervals, "of 40 intervals, fewer than 34 hold in one run of 300, if each holds in 95 %"
