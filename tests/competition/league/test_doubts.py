"""Doubts: the title does without games that may have been help. The standings keep them."""

from dataclasses import replace

import numpy as np
import pytest

from arena.competition.league.accomplices import find_accomplices
from arena.competition.league.adjustment import Draw, adjust_scores
from arena.competition.league.doubts import Sign, find_doubts
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import Standings, compute_standings
from tests.competition.league.leagues import block
from tools.studies.accomplices import HONEST, Kind, play, simulate_leagues

NAMES = [f"bot{number}" for number in range(12)]


@pytest.fixture(scope="module")
def league() -> list[BlockResult]:
    """A league in which the eighth bot gives the third its place wherever it is ahead."""
    return [*play(Kind("passes", passes=1.0, games=400), np.random.default_rng(2))]


def judge(results: list[BlockResult], judgement: Judgement = Judgement.NEW) -> Standings:
    return compute_standings(NAMES, results, seed=b"seed", draw_count=100, draw=Draw(judgement=judgement))


def test_friend_that_passes_its_place_is_doubted_and_not_flagged(league):
    (doubt,) = [each for each in find_doubts(league) if each.entrant == "bot2"]

    assert (doubt.other, doubt.sign) == ("bot7", Sign.BEHIND)
    assert doubt.count == doubt.games > doubt.expected + 5
    assert doubt.p_corrected < 0.01
    assert find_accomplices(league, Judgement.NEW) == {}


def test_title_does_without_the_help_that_the_standings_keep(league):
    found, old = judge(league), judge(league, Judgement.OLD)
    points = adjust_scores(league, Draw()).scores
    alone = [
        scores["bot2"]
        for scores, each in zip(points, league, strict=True)
        if "bot2" in scores and "bot7" not in each.block.names
    ]

    assert [row.score for row in found.rows] == [row.score for row in old.rows]
    assert found.rows[0].name == "bot2"
    assert found.title_scores["bot2"] == pytest.approx(np.mean(alone))
    assert old.champion is not None
    assert (old.champion.name, old.champion.doubted) == ("bot2", ())
    assert found.champion is not None
    assert found.champion.name != "bot2"
    assert "bot2" in found.champion.doubted


def test_title_by_rating_does_without_the_help_too(league):
    rated = compute_ratings(league, seed=b"seed", draw_count=20)
    ratings = {row.name: row.rating for row in rated.rows}

    found = compute_standings(NAMES, league, seed=b"seed", ratings=rated)
    in_a_pool = compute_standings(NAMES, league, seed=b"seed", ratings=replace(rated, has_prior=True))

    assert found.champion is not None
    assert "bot2" in found.champion.doubted
    assert (found.title_scores["bot2"] or 0) < ratings["bot2"] - 10
    assert in_a_pool.doubts == ()


def test_nothing_is_doubted_where_nothing_can_be_told():
    assert find_doubts([]) == ()
    assert find_doubts([block(number, "ann 1 | bob 2") for number in range(9)]) == ()
    assert find_doubts([block(number, "ann 1 | bob 1 | cid 1") for number in range(9)]) == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HONEST[0], HONEST[5]], ids=lambda kind: kind.words)
def test_few_honest_entrants_are_doubted(kind: Kind):
    found = simulate_leagues(kind, 30)

    assert np.mean([each.wrongly_doubted for each in found]) < 0.2
