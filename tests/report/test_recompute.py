"""`docs/recompute.py` works out a report's scores again from its CSV files alone."""

import csv
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.league.adjustment import Draw
from arena.league.model import Entrant
from arena.league.standings import compute_standings
from arena.report.report_files import write_report
from arena.report.view import EntrantView, LeagueGame
from tests.league.leagues import play_league
from tests.support.league_views import make_league_view, make_names

SCRIPT = Path(__file__).parents[2] / "docs" / "recompute.py"
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
    games = [
        LeagueGame(result.block, number, table) for result in results for number, table in enumerate(result.tables, 1)
    ]
    entrants = [EntrantView(Entrant(name, draw.owners.get(name, ""))) for name in NAMES]
    standings = compute_standings(NAMES, results, seed=b"seed", draw=draw)
    view = replace(make_league_view(make_names(2), game_count=1), games=games, entrants=entrants, standings=standings)
    write_report(view, folder)


def recompute(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("draw", "league"),
    [
        (Draw(), {"blocks": 61, "tables": 2}),
        (Draw(owners={"bot0": "ann", "bot1": "ann"}), {"blocks": 40, "tables": 1}),
        (Draw(), {"blocks": 15, "tables": 1}),
        (Draw(is_even=False), {"blocks": 40, "tables": 1}),
    ],
    ids=["two tables", "owners", "few blocks", "uneven format"],
)
def test_scores_and_intervals_agree(tmp_path, draw, league):
    publish(tmp_path, draw, **league)

    found = recompute(tmp_path)

    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert len(found.stdout.splitlines()) == len(NAMES)


def change(file: Path, column: str, value: str) -> None:
    """Change a column of the first row."""
    with file.open(newline="") as text:
        head, first, *others = list[Sequence[str]](csv.reader(text))
    first = [value if name == column else cell for name, cell in zip(head, first, strict=True)]
    with file.open("w", newline="") as text:
        csv.writer(text).writerows([head, first, *others])


@pytest.mark.parametrize(("name", "column"), [("standings.csv", "score"), ("games.csv", "place")])
def test_edited_league_does_not_agree(tmp_path, name, column):
    publish(tmp_path, Draw(), blocks=40, tables=1)
    change(tmp_path / name, column, "7")

    found = recompute(tmp_path)

    assert found.returncode == 1
    assert "NOT AS STATED" in found.stdout


def test_script_is_short():
    assert len(SCRIPT.read_text().splitlines()) < 200
