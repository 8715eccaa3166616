"""Points adjusted for opponents, seat and deal: never of more variance than plain points, and of the same mean."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
import pytest

from arena.competition.league.adjustment import (
    EVEN_DRAW,
    MIN_BLOCKS,
    Adjustment,
    Draw,
    Feature,
    PlainReason,
    adjust_scores,
    plain_scores,
)
from arena.competition.league.model import BlockResult
from arena.competition.league.standings import compute_standings
from tests.competition.league.leagues import block, play_league

STRENGTHS = [1.2, 0.8, 0.4, 0.2, -0.2, -0.4, -0.8, -1.2]
NAMES = [f"bot{number}" for number in range(8)]


def by_entrant(adjustment: Adjustment) -> dict[str, list[float]]:
    """Return each entrant's scores."""
    found: dict[str, list[float]] = {}
    for name, score in (each for scores in adjustment.scores for each in scores.items()):
        found.setdefault(name, []).append(score)
    return found


def variance(adjustment: Adjustment) -> float:
    return float(np.mean([np.var(scores, ddof=1) for scores in by_entrant(adjustment).values()]))


def means(adjustment: Adjustment) -> Mapping[str, float]:
    return {name: float(np.mean(scores)) for name, scores in by_entrant(adjustment).items()}


def ratio(results: Sequence[BlockResult]) -> float:
    """Return the variance of adjusted points as a share of that of plain points."""
    return variance(adjust_scores(results, EVEN_DRAW)) / variance(plain_scores(results))


@pytest.mark.parametrize(
    ("league", "feature", "least"),
    [
        ({"strengths": STRENGTHS, "tables": 1}, Feature.OPPONENTS, 0.03),
        ({"strengths": [0.0] * 8, "seat_terms": (1.5, 0.0, 0.0, -1.5)}, Feature.SEAT, 0.15),
        ({"strengths": [0.0] * 8, "luck": 2.0}, Feature.MATES, 0.15),
    ],
    ids=["opponents", "seat", "mates"],
)
def test_each_feature_explains_what_it_should(league, feature, least):
    results = play_league(np.random.default_rng(1), block_count=300, **league)

    explained = adjust_scores(results, EVEN_DRAW).explained

    assert explained[feature] > least
    assert all(abs(share) < 0.01 for each, share in explained.items() if each is not feature)


def test_luck_of_hands_is_used():
    source = np.random.default_rng(2)
    results = []
    for result in play_league(source, [0.0] * 8, 200, tables=1):
        (table,) = result.tables
        luck = [2.5 - place + noise for place, noise in zip(table.places, source.normal(size=4), strict=True)]
        results.append(replace(result, tables=(replace(table, luck=tuple(np.array(luck) - np.mean(luck))),)))

    assert adjust_scores(results, EVEN_DRAW).explained[Feature.HAND] > 0.3
    assert ratio(results) < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("tables", [1, 2])
@pytest.mark.parametrize("blocks", [MIN_BLOCKS, 40, 200])
def test_where_nothing_explains_points_adjusting_costs_nothing(blocks, tables):
    """Equals without seat terms and luck. The mean over 20 leagues is at most 1 % above that of plain points."""
    found = [ratio(play_league(np.random.default_rng(seed), [0.0] * 8, blocks, tables=tables)) for seed in range(20)]

    assert np.mean(found) < 1.01


def test_adjusted_points_have_the_mean_of_plain_points():
    """Over 60 leagues of known strength, the mean of the differences is 0 within its noise, for each entrant."""
    found = []
    for seed in range(60):
        results = play_league(np.random.default_rng(seed), STRENGTHS, 40, seat_terms=(0.6, 0.2, -0.2, -0.6), luck=1.0)
        plain, adjusted = means(plain_scores(results)), means(adjust_scores(results, EVEN_DRAW))
        found.append([adjusted[name] - plain[name] for name in NAMES])

    differences = np.array(found)
    errors = differences.std(axis=0, ddof=1) / np.sqrt(len(differences))
    assert np.all(np.abs(differences.mean(axis=0)) < 3.5 * errors + 1e-4)


def test_one_block_has_no_influence_on_its_own_coefficients():
    """Block 7 is won by the other half of its table. What is taken off its points stays the same."""
    results = play_league(np.random.default_rng(3), STRENGTHS, 60, tables=1)
    (table,) = results[6].tables
    turned = [*results[:6], replace(results[6], tables=(replace(table, places=table.places[::-1]),)), *results[7:]]

    one, other = ({
        name: score - plain_scores(played).scores[6][name]
        for name, score in adjust_scores(played, EVEN_DRAW).scores[6].items()
    } for played in (results, turned))  # fmt: skip

    assert one == pytest.approx(other, abs=1e-12)
    assert any(abs(value) > 0.01 for value in one.values())


def test_entrants_of_one_owner_that_never_meet_are_no_opponents():
    """Ann's other bot is by far the best. That ann never meets it must not count against her."""
    source = np.random.default_rng(4)
    names = {"bot0": "ann", "bot1": "ann"}
    everything = play_league(source, [3.0, 0, 0, 0, 0, 0, 0, 0], 400, tables=1)
    results = [result for result in everything if not {"bot0", "bot1"} <= set(result.block.names)]

    plain = means(plain_scores(results))["bot1"]
    assert means(adjust_scores(results, Draw(owners=names)))["bot1"] == pytest.approx(plain, abs=0.01)
    assert means(adjust_scores(results, EVEN_DRAW))["bot1"] < plain - 0.02


@pytest.mark.parametrize(
    ("blocks", "draw", "reason"),
    [(MIN_BLOCKS - 1, EVEN_DRAW, PlainReason.FEW_BLOCKS), (100, Draw(is_even=False), PlainReason.FORMAT)],
    ids=["few blocks", "uneven format"],
)
def test_points_are_plain_where_an_adjustment_would_not_help(blocks, draw, reason):
    results = play_league(np.random.default_rng(5), STRENGTHS, blocks)

    table = compute_standings(NAMES, results, seed=b"", draw=draw)

    assert (table.plain_reason, table.explained) == (reason, {})
    assert {row.name: row.score for row in table.rows} == pytest.approx(means(plain_scores(results)))


def alike() -> list[BlockResult]:
    return [block(number, "ann 1 | bob 1 | cid 1") for number in range(1, 41)]


def two_only() -> list[BlockResult]:
    return [block(number, "ann 1 | bob 2" if number % 3 else "bob 1 | ann 2") for number in range(1, 61)]


def always_last() -> list[BlockResult]:
    """Bot7 forfeits every game."""
    results = []
    for result in play_league(np.random.default_rng(6), [0.5, 0.3, 0.1, 0, 0, -0.2, -0.5, -50.0], 60, tables=1):
        tables = tuple(replace(table, forfeits=frozenset({"bot7"} & set(table.seats))) for table in result.tables)
        results.append(replace(result, tables=tables))
    return results


def crowd() -> list[BlockResult]:
    """200 entrants in 100 games: two games each."""
    return play_league(np.random.default_rng(7), list(np.linspace(-2, 2, 200)), 100, tables=1)


def blocks_missing() -> list[BlockResult]:
    return play_league(np.random.default_rng(8), STRENGTHS, 90)[::3]


@pytest.mark.parametrize("league", [alike, two_only, always_last, crowd, blocks_missing], ids=lambda one: one.__name__)
def test_scores_and_intervals_are_always_defined(league):
    results = league()
    names = sorted({name for result in results for name in result.block.names})

    table = compute_standings([*names, "absent"], results, seed=b"", draw_count=100)

    played = [row for row in table.rows if row.name != "absent"]
    values = [(row.score, row.interval.low, row.interval.high) for row in played]
    assert all(value is not None and isfinite(value) for row in values for value in row)
    assert all(low <= score <= high and 0 <= low <= high <= 1 for score, low, high in values)  # type: ignore[operator]  # none is None
    assert all(isfinite(share) for share in table.explained.values())
    assert next(row for row in table.rows if row.name == "absent").score is None


def test_who_always_loses_keeps_plain_points_and_the_interval_of_a_constant():
    """By the rule of three, up to 3 of its games in n might have been won."""
    results = always_last()

    row = next(each for each in compute_standings(NAMES, results, seed=b"").rows if each.name == "bot7")

    assert row.score == 0
    assert row.interval.high == pytest.approx(3 / row.games)


def test_points_that_are_all_alike_explain_nothing():
    assert compute_standings(["ann", "bob", "cid"], alike(), seed=b"").explained == {}
