"""Leagues that tell little or nothing: every figure stays defined, and the page says what it cannot tell."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.competition.league.adjustment import Draw
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import BlockResult, Entrant
from arena.competition.league.rating import compute_ratings_over_time
from arena.competition.league.standings import compute_standings
from arena.organizer.report.csv_tables import TABLES
from arena.organizer.report.report_page import write_report
from arena.organizer.report.view import EntrantView, LeagueGame, LeagueView, Progress, RatingMoment
from tests.competition.league.leagues import block, play_league, table
from tests.organizer.report.reading import Page

SEED = bytes(32)
FEW_BLOCKS = "From 20 blocks on, they are adjusted"


@dataclass(frozen=True)
class BadLeague:
    """A league, and what its page must say."""

    results: Sequence[BlockResult]
    names: Sequence[str]
    says: Sequence[str]
    rated: int
    """Number of entrants with a rating."""
    by_rating: bool = False
    draw: Draw = field(default_factory=Draw)


def quitters(count: int) -> list[BlockResult]:
    """Blocks in which `gone` always forfeits."""
    lines = ["gone 3 | a 1 | b 2", "b 1 | gone 3 | a 2", "a 1 | b 1 | gone 3"]
    return [block(number, table(lines[number % 3], forfeits="gone")) for number in range(1, count + 1)]


def all_alike(count: int) -> list[BlockResult]:
    return [block(number, "a 1 | b 1 | c 1", "d 1 | e 1 | f 1") for number in range(1, count + 1)]


def large() -> list[BlockResult]:
    """Two hundred entrants, of whom a hundred games at tables of four reach most, each two times on average."""
    return play_league(np.random.default_rng(7), [0.0] * 200, 50, tables=2)


def with_holes() -> list[BlockResult]:
    played = play_league(np.random.default_rng(3), [0.5, 0.2, 0, 0, -0.2, -0.5], 40, tables=1)
    return [result for result in played if result.block.number % 3]


BOTS = [f"bot{number}" for number in range(200)]
PLAYED = sorted({name for result in large() for name in result.block.names})
LEAGUES = {
    "no games": BadLeague([], "abc", [FEW_BLOCKS], 0),
    "one game": BadLeague([block(1, "a 1 | b 2 | c 3")], "abcd", [FEW_BLOCKS, "no bounds", "cannot be told apart"], 3),
    "scores all alike": BadLeague(all_alike(4), "abcdef", [FEW_BLOCKS, "cannot be told apart", "No game decided"], 6),
    "many scores all alike": BadLeague(
        all_alike(30), "abcdef", ["All entrants have the same points in all games", "cannot be told apart"], 6
    ),
    "alike by rating": BadLeague(all_alike(30), "abcdef", ["The rating decides", "cannot be told apart"], 6, True),
    "two entrants, one always wins": BadLeague(
        [block(number, "a 1 | b 2") for number in range(1, 31)], "ab", ["same points in all games", "above"], 2
    ),
    "two entrants by turns": BadLeague(
        [block(number, "a 1 | b 2" if number % 2 else "b 2 | a 1") for number in range(1, 26)], "ab", ["above"], 2, True
    ),
    "a bot that always forfeits": BadLeague(quitters(30), ["a", "b", "gone"], ["below"], 3),
    "one that always forfeits, by rating": BadLeague(quitters(5), ["a", "b", "gone"], ["no bounds"], 3, True),
    "200 entrants in 100 games": BadLeague(large(), BOTS, ["cannot be told apart", "no bounds"], len(PLAYED)),
    "blocks missing": BadLeague(with_holes(), BOTS[:6], ["cannot be told apart"], 6),
    "nobody met anybody of another group": BadLeague(
        [block(1, "a 1 | b 2"), block(2, "c 1 | d 2")], "abcd", [FEW_BLOCKS, "No game decided", "no bounds"], 4
    ),
}


def view_of(league: BadLeague) -> LeagueView:
    """Return the view of a league as `build_league_view` makes it, without analytics of the play."""
    results = league.results
    draws = {count: 20 for count in {max(1, len(results) // 2), len(results)} if results}
    moments = list(compute_ratings_over_time(results, dict(sorted(draws.items())), seed=SEED)) if results else []
    games = [LeagueGame(each.block, number, one) for each in results for number, one in enumerate(each.tables, 1)]
    played = list(accumulate(len(result.tables) for result in results))
    rated = moments[-1] if moments else None
    standings = compute_standings(
        list(league.names),
        results,
        seed=SEED,
        ratings=rated if league.by_rating else None,
        draw=league.draw,
        draw_count=100,
    )
    above = [] if rated is None else [
        [None if one.name == two.name else rated.win_probability(one.name, two.name) for two in rated.rows]
        for one in rated.rows
    ]  # fmt: skip
    return LeagueView(
        title="bad",
        progress=Progress("over", True, len(games), len(games), len(results)),
        ruleset="r",
        pace="p",
        format="f",
        entrants=[EntrantView(Entrant(name)) for name in league.names],
        standings=standings,
        ratings=rated.rows if rated else (),
        win_probabilities=above,
        course=[RatingMoment(played[count - 1], one.rows) for count, one in zip(sorted(draws), moments, strict=True)],
        meetings=HeadToHead.from_results([row.name for row in standings.rows], results),
        games=games,
    )


def refuse_constant(name: str) -> Any:
    raise AssertionError(f"the document has {name}")


def assert_finite(value: Any) -> None:
    if isinstance(value, float):
        assert isfinite(value)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            assert_finite(each)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.timeout(600)  # 200 entrants take long on a machine that others use
@pytest.mark.parametrize(
    "league",
    [
        pytest.param(each, marks=[pytest.mark.long] if len(each.names) > 100 else [], id=name)
        for name, each in LEAGUES.items()
    ],
)
def test_every_figure_is_defined_and_the_page_says_what_it_cannot_tell(tmp_path: Path, league: BadLeague):
    view = view_of(league)

    html = write_report(view, tmp_path).read_text(encoding="utf-8")

    words = " ".join(Page(html).words.split())
    assert not re.search(r"\b(nan|inf|infinity)\b", html.partition("</style>")[2], re.IGNORECASE)
    for name in TABLES:
        with (tmp_path / name).open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not {cell for cell in cells if cell.lower().lstrip("-") in ("nan", "inf", "none")}, name
    document = json.loads((tmp_path / "report.json").read_text(), parse_constant=refuse_constant)
    assert_finite(document)
    assert sorted(row["name"] for row in document["standings"]["rows"]) == sorted(league.names)
    listed = [row[1].strip() for row in Page(html).tables["standings/0"][1:]]
    assert all(any(cell.startswith(name) for cell in listed) for name in league.names)
    assert len(document["ratings"]["rows"]) == league.rated
    for phrase in league.says:
        assert phrase in words
    assert all(row.score is None or row.interval.contains(row.score) for row in view.standings.rows)


def test_entrant_that_has_not_played_has_no_score_and_no_place():
    standings = view_of(LEAGUES["one game"]).standings

    assert [(row.name, row.place, row.score) for row in standings.rows][-1] == ("d", None, None)
