"""A short version of what `make pool-week` says of kinds of pools."""

import pytest

from tools.studies.pool_kinds import measure_convergence, rate_friend


@pytest.mark.slow
def test_ten_games_say_more_than_that_all_are_equal():
    found = measure_convergence(10, seed=1, bots=40)
    assert found.error < 120, "to say 1500 for all is wrong by 150 points"
    assert found.held > 0.85
    assert found.ranked == 0


@pytest.mark.slow
def test_accomplice_in_quiet_hours_lifts_nobody_to_a_rank():
    row = rate_friend(120, 1, house=False, helps=True, bots=36)
    assert row.is_provisional
    assert row.rated_games < 10
