import pytest

from tools.studies.league_coverage import KINDS, simulate_leagues


@pytest.mark.slow
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=["20 blocks", "60 blocks"])
def test_intervals_cover_the_truth_at_the_stated_rate(kind):
    """A short version of `make league-statistics`: of 200 intervals chance may move 5 to either side."""
    found = simulate_leagues(kind, leagues=25, draw_count=40, many_blocks=2000)

    assert found.ratings.percent == pytest.approx(95, abs=5)
    assert found.scores.percent == pytest.approx(95, abs=5)
