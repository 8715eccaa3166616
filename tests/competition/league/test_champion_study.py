from dataclasses import replace
from statistics import fmean

import pytest

from tools.studies.league_champion import KINDS, line, simulate_leagues


@pytest.mark.slow
def test_best_bot_is_champion_more_often_and_rarely_drops_out():
    """A short version of `make champion-statistics`, with fewer games: of 60 leagues chance may move 8."""
    found = simulate_leagues(replace(KINDS[0], games=60, spread=0.7), leagues=60)

    assert sum(each.play_off for each in found) > sum(each.first for each in found) - 4
    assert sum(each.lost_best for each in found) <= 8
    assert fmean(each.more for each in found) <= 15
    assert abs(fmean(each.certainty for each in found) - fmean(each.first for each in found)) < 0.2
    assert abs(fmean(each.later_certainty for each in found) - fmean(each.best_contender for each in found)) < 0.2
    assert line(KINDS[0], found).count("|") == 5
