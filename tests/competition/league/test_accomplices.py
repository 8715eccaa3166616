"""What an accomplice gives is left out: a score and a rating are the lower of those with and without these games."""

from dataclasses import replace

import numpy as np
import pytest

from arena.competition.league.accomplices import NO_ACCOMPLICES, find_accomplices, leave_out_help
from arena.competition.league.adjustment import Draw, adjust_scores
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, BlockResult
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from tests.competition.league.leagues import block
from tools.studies.accomplices import Kind, play

NAMES = [f"bot{number}" for number in range(12)]
HELPED = {"bot2": frozenset({"bot7"})}


@pytest.fixture(scope="module")
def league() -> list[BlockResult]:
    """A league in which the eighth bot comes last whenever it sits with the third."""
    return [*play(Kind("always last", sinks=1.0, games=300), np.random.default_rng(1))]


def score_all(results: list[BlockResult], draw: Draw) -> dict[str, float]:
    table = compute_standings(NAMES, results, seed=b"seed", draw_count=2, draw=draw)
    return {row.name: row.score for row in table.rows if row.score is not None}


def test_helped_entrant_keeps_the_score_of_its_other_games(league):
    old, new = (score_all(league, Draw(judgement=each)) for each in Judgement)
    points = adjust_scores(league, Draw()).scores
    alone = [
        block["bot2"]
        for block, each in zip(points, league, strict=True)
        if "bot2" in block and "bot7" not in each.block.names
    ]

    assert new["bot2"] == pytest.approx(np.mean(alone))
    assert new["bot2"] < old["bot2"] - 0.03
    assert {name for name in NAMES if new[name] != old[name]} == {"bot2"}


def test_contenders_follow_from_the_lower_score():
    results = [*play(Kind("always last", sinks=1.0, games=300), np.random.default_rng(10))]
    old, new = (compute_standings(NAMES, results, seed=b"", draw=Draw(judgement=each)).champion for each in Judgement)

    assert old is not None
    assert new is not None
    assert "bot2" in old.contenders
    assert "bot2" not in new.contenders


def test_helped_entrant_has_the_rating_of_its_other_games(league):
    assert find_accomplices(league, Judgement.NEW) == HELPED
    assert find_accomplices(league, Judgement.OLD) == NO_ACCOMPLICES
    alone = [each for each in league if not {"bot2", "bot7"} <= {*each.block.names}]
    every, left_out, others = (
        {row.name: row.rating for row in compute_ratings(results, seed=b"", draw_count=2, accomplices=accomplices).rows}
        for results, accomplices in ((league, NO_ACCOMPLICES), (league, HELPED), (alone, NO_ACCOMPLICES))
    )

    assert left_out["bot2"] == pytest.approx(others["bot2"], abs=0.01)
    assert left_out["bot2"] < every["bot2"] - 10
    assert {name for name in NAMES if left_out[name] != every[name]} == {"bot2"}


def test_entrant_that_comes_last_on_purpose_is_not_rid_of_these_games(league):
    """Bot7 keeps its last places, although bot2 does better without them."""
    scores = adjust_scores(league, Draw()).scores

    assert all("bot7" in block for block in leave_out_help(scores, league, HELPED) if "bot7" in block)
    turned = leave_out_help(scores, league, {"bot7": frozenset({"bot2"})})
    assert turned == scores, "beside bot2 it does worse than elsewhere, so these games stay"


def test_entrant_that_plays_with_nobody_else_keeps_its_score():
    results = [block(number, "ann 1 | bob 2") for number in range(3)]
    scores = [{"ann": 1.0, "bob": 0.0}] * 3

    assert leave_out_help(scores, results, {"ann": frozenset({"bob"})}) == scores


def test_one_of_several_tables_is_left_out():
    """Ann meets the mule at one table of the first block, and others elsewhere."""
    results = [block(1, "ann 1 | mule 2", "bob 1 | cid 2"), block(2, "ann 2 | bob 1", "cid 1 | mule 2")]
    scores = [{"ann": 1.0, "mule": 0.0, "bob": 1.0, "cid": 0.0}, {"ann": 0.0, "bob": 1.0, "cid": 1.0, "mule": 0.0}]

    kept = leave_out_help(scores, results, {"ann": frozenset({"mule"})})

    assert kept == [{"mule": 0.0, "bob": 1.0, "cid": 0.0}, scores[1]]


def test_honest_leagues_have_no_accomplices(league):
    honest = [*play(Kind("Plackett-Luce", games=300), np.random.default_rng(1))]

    assert find_accomplices(honest, Judgement.NEW) == NO_ACCOMPLICES
    assert score_all(honest, Draw()) == score_all(honest, replace(Draw(), judgement=Judgement.OLD))


@pytest.mark.slow
@pytest.mark.parametrize("by_rating", [False, True])
def test_help_is_left_out_of_the_play_off_too(league, by_rating):
    """Without its friend, the third bot is behind the fifth, over the games of league and play-off."""
    terms = PlayOffTerms(("bot2", "bot4"), rounds=1)
    play_off = [replace(each, block=replace(each.block, label=PLAY_OFF)) for each in league[-40:]]
    results, champions = [*league[:-40], *play_off], []
    for judgement in Judgement:
        rated = compute_ratings(
            league[:-40],
            seed=b"seed",
            draw_count=20,
            judgement=Judgement.NEW,
            accomplices=find_accomplices(league[:-40], judgement),
        )
        ratings = replace(rated, judgement=judgement) if by_rating else None
        table = compute_standings(
            NAMES,
            results,
            seed=b"seed",
            ratings=ratings,
            play_off=terms,
            draw=Draw(judgement=judgement),
            draw_count=100,
        )
        champions.append(table.champion and table.champion.name)

    assert champions == ["bot2", "bot4"]
