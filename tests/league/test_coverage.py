import pytest

from tests.studies.league_coverage import KINDS, simulate_leagues


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=["20 blocks", "60 blocks"])
def test_intervals_hold_the_truth_as_often_as_they_say(kind):
    """A short version of `make league-statistics`: 200 intervals, of which chance may take 5 away either side."""
    found = simulate_leagues(kind, leagues=25, draw_count=40, many_blocks=2000)

    assert found.ratings.percent == pytest.approx(95, abs=5)
    assert found.scores.percent == pytest.approx(95, abs=5)
