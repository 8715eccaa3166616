"""A short version of the attacks of `make champion-statistics`."""

from dataclasses import replace

import pytest

from arena.competition.formats import Season, Swiss
from arena.competition.league.judgement import Judgement
from tools.studies.league_attacks import Kind, line, simulate_leagues

VOIDS = Kind(Season(48, 1), 3, voids=True)
LEAVES = Kind(Swiss(4, 2, 1), 4, leaves=True)
HELPED = Kind(Season(160, 1), 3, sinks=1.0)


@pytest.mark.slow
def test_dealing_its_last_places_again_pays_a_bot_under_the_old_judgement_alone():
    old = simulate_leagues(replace(VOIDS, judgement=Judgement.OLD), 60)
    new = simulate_leagues(VOIDS, 60)
    honest = simulate_leagues(replace(VOIDS, voids=False), 60)

    assert sum(each.first for each in old) > sum(each.first for each in new)
    assert sum(each.first for each in new) < sum(each.first for each in honest) + 8, "twice the spread of chance"


@pytest.mark.slow
def test_leaving_while_it_leads_pays_a_bot_under_the_old_judgement_alone():
    old = simulate_leagues(replace(LEAVES, judgement=Judgement.OLD), 60)
    new = simulate_leagues(LEAVES, 60)

    assert any(each.champion for each in old)
    assert [each.first for each in new] == [each.first for each in old], "it keeps its place"
    assert sum(each.champion for each in new) == 0
    assert "leaves" in line(LEAVES, new)


@pytest.mark.slow
def test_accomplice_pays_under_the_old_judgement_alone():
    old = simulate_leagues(replace(HELPED, judgement=Judgement.OLD), 60)
    new = simulate_leagues(HELPED, 60)
    honest = simulate_leagues(replace(HELPED, sinks=0.0), 60)

    assert sum(each.first for each in old) > sum(each.first for each in new)
    assert sum(each.first for each in new) < sum(each.first for each in honest) + 8, "twice the spread of chance"
    assert "helped 1.0" in line(HELPED, new)
