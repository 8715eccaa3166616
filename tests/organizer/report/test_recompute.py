"""`docs/recompute.py` works out a report's scores and ratings again from its CSV files alone."""

import csv
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.accomplices import find_accomplices
from arena.competition.league.adjustment import EVEN_DRAW, Draw
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult, Entrant
from arena.competition.league.rating import PUBLISHED_DRAWS, compute_ratings
from arena.competition.league.standings import compute_standings
from arena.organizer.report.report_page import write_report
from arena.organizer.report.view import EntrantView, LeagueGame
from tests.competition.league.leagues import block, play_league
from tests.support.league_views import make_league_view, make_names
from tools.studies.accomplices import Kind, play

SCRIPT = Path(__file__).parents[3] / "docs" / "recompute.py"
NAMES = [f"bot{number}" for number in range(8)]


def publish(folder: Path, draw: Draw, **league: int) -> None:
    """Write the report of a made-up league, whose last game belongs to a play-off."""
    source = np.random.default_rng(11)
    results = play_league(
        source, [1, 0.6, 0.3, 0, 0, -0.2, -0.6, -40], league["blocks"], tables=league["tables"], luck=1
    )
    for number, result in enumerate(results):
        lucky = [replace(table, luck=tuple(source.normal(size=4).tolist())) for table in result.tables]
        results[number] = replace(result, tables=tuple(lucky))
    results[-1] = replace(results[-1], block=replace(results[-1].block, label="play-off"))
    publish_results(folder, NAMES, results, draw)


def publish_results(
    folder: Path,
    names: Sequence[str],
    results: Sequence[BlockResult],
    draw: Draw = EVEN_DRAW,
    *,
    by_rating: bool = False,
    judgement: Judgement = Judgement.NEW,
) -> None:
    games = [
        LeagueGame(result.block, number, table) for result in results for number, table in enumerate(result.tables, 1)
    ]
    entrants = [EntrantView(Entrant(name, draw.owners.get(name, ""))) for name in names]
    counting = [result for result in results if not result.block.label]
    rated = compute_ratings(
        counting,
        seed=b"seed",
        draw_count=PUBLISHED_DRAWS,
        judgement=judgement,
        accomplices=find_accomplices(counting, judgement),
    )
    standings = compute_standings(names, results, seed=b"seed", ratings=rated if by_rating else None, draw=draw)
    view = replace(make_league_view(make_names(2), game_count=1), win_probabilities=())
    view = replace(view, games=games, entrants=entrants, standings=standings, ratings=rated.rows)
    view = replace(view, accomplices=screen_for_accomplices(counting))
    write_report(replace(view, judgement=judgement), folder)


def recompute(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("draw", "league"),
    [
        pytest.param(Draw(), {"blocks": 61, "tables": 2}, marks=pytest.mark.slow),
        pytest.param(Draw(owners={"bot0": "ann", "bot1": "ann"}), {"blocks": 40, "tables": 1}, marks=pytest.mark.slow),
        (Draw(), {"blocks": 15, "tables": 1}),
        (Draw(is_even=False), {"blocks": 40, "tables": 1}),
    ],
    ids=["two tables", "owners", "few blocks", "uneven format"],
)
def test_scores_and_intervals_agree(tmp_path, draw, league):
    publish(tmp_path, draw, **league)

    found = recompute(tmp_path)

    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    lines = [line for line in found.stdout.splitlines() if "for the title" not in line]
    assert [line.split()[1] for line in lines] == ["rating"] * 8 + ["score"] * 8


@pytest.mark.parametrize("judgement", [Judgement.NEW, pytest.param(Judgement.OLD, marks=pytest.mark.slow)])
def test_ratings_of_a_league_that_they_decide_agree(tmp_path, judgement):
    """One entrant has all ties, one has never lost, two have met none of the others, and three have only drawn."""
    blocks = [block(number, "a 1 | b 2 | c 3", "a 1 | b 2 | d 2") for number in range(1, 8)]
    blocks += [block(8, "c 1 | b 2 | d 3"), block(9, "d 1 | b 1 | c 1"), block(10, "x 1 | y 2 | z 3")]
    blocks += [block(number, "p 1 | q 1 | r 1") for number in range(11, 18)]

    publish_results(tmp_path, [*"abcdxyzpqr", "absent"], blocks, by_rating=True, judgement=judgement)
    found = recompute(tmp_path)

    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert "a: score" in found.stdout
    assert " to inf" in next(line for line in found.stdout.splitlines() if line.startswith("a: rating"))
    assert "-inf to inf" in next(line for line in found.stdout.splitlines() if line.startswith("x: rating"))


@pytest.mark.parametrize("by_rating", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_score_and_rating_without_the_help_of_an_accomplice_agree(tmp_path, by_rating):
    results = [*play(Kind("always last", sinks=1.0, games=300), np.random.default_rng(1))]

    publish_results(tmp_path, [f"bot{number}" for number in range(12)], results, by_rating=by_rating)

    assert "bot7,bot2," in (tmp_path / "accomplices.csv").read_text()
    assert recompute(tmp_path).returncode == 0
    scoring = tmp_path / "scoring.csv"
    scoring.write_text(scoring.read_text().replace("leaves_out_help,True", "leaves_out_help,False"))
    found = recompute(tmp_path)
    differs = [line.split()[0] for line in found.stdout.splitlines() if "NOT AS STATED" in line]
    assert differs == ["bot2:"] * 2


@pytest.mark.parametrize("by_rating", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_score_for_the_title_agrees(tmp_path, by_rating):
    results = [*play(Kind("passes", passes=1.0, games=400), np.random.default_rng(2))]
    publish_results(tmp_path, [f"bot{number}" for number in range(12)], results, by_rating=by_rating)

    assert "bot2: score for the title" in recompute(tmp_path).stdout
    assert recompute(tmp_path).returncode == 0
    change(tmp_path / "doubts.csv", "title_score", "0.9")
    assert recompute(tmp_path).stdout.count("NOT AS STATED") == 1


def test_ratings_of_draws_alone_agree(tmp_path):
    publish_results(tmp_path, [*"abc"], [block(number, "a 1 | b 1 | c 1") for number in range(9)], by_rating=True)

    found = recompute(tmp_path)

    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert found.stdout.count("1500.000000, -inf to inf") == 6


def change(file: Path, column: str, value: str) -> None:
    """Change a column of the first row."""
    with file.open(newline="") as text:
        head, first, *others = list[Sequence[str]](csv.reader(text))
    first = [value if name == column else cell for name, cell in zip(head, first, strict=True)]
    with file.open("w", newline="") as text:
        csv.writer(text).writerows([head, first, *others])


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("standings.csv", "score"),
        pytest.param("games.csv", "place", marks=pytest.mark.slow),
        pytest.param("ratings.csv", "low_95", marks=pytest.mark.slow),
    ],
)
def test_edited_league_does_not_agree(tmp_path, name, column):
    publish(tmp_path, Draw(), blocks=40, tables=1)
    change(tmp_path / name, column, "7")

    found = recompute(tmp_path)

    assert found.returncode == 1
    assert "NOT AS STATED" in found.stdout


@pytest.mark.slow
def test_report_without_a_game_and_unreadable_files_get_one_sentence(tmp_path):
    publish(tmp_path, Draw(), blocks=20, tables=1)
    games = tmp_path / "games.csv"
    head, *rows = games.read_text().splitlines()

    games.write_text(f"{head}\n")
    assert recompute(tmp_path).stderr == "games.csv has no game that counts, so there is nothing to work out\n"
    games.write_text("\n".join([head, *rows[1:]]))  # a table without its first seat
    assert_one_sentence(recompute(tmp_path))
    games.unlink()
    assert_one_sentence(recompute(tmp_path))
    assert_one_sentence(recompute(tmp_path / "nowhere"))


def assert_one_sentence(found: "subprocess.CompletedProcess[str]") -> None:
    assert found.returncode == 1
    assert len(found.stderr.splitlines()) == 1
    assert "does not have the CSV files of a report" in found.stderr


def test_entrant_with_a_score_and_no_game_is_named(tmp_path):
    publish(tmp_path, Draw(), blocks=20, tables=1)
    with (tmp_path / "standings.csv").open("a") as standings:
        standings.write((tmp_path / "standings.csv").read_text().splitlines()[1].replace("bot", "ghost"))

    found = recompute(tmp_path)

    assert found.returncode == 1
    assert "without a game: score nan, nan to nan NOT AS STATED" in found.stdout


def test_script_is_short():
    assert len(SCRIPT.read_text().splitlines()) < 245
