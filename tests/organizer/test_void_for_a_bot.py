"""A block that is void for a bot is played again; in a league with the new judgement the bot gains nothing by it."""

import asyncio
import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.competition.league.points import points_at
from arena.competition.league.ports import VOID
from arena.organizer.play import block_runner
from arena.organizer.play.void_check import VoidReason
from tests.organizer.leagues import forget_judgement, league, league_of, seal, write_league
from tests.support.commands import run_arena

RECOMPUTE = Path(__file__).parents[2] / "docs" / "recompute.py"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
def test_league_audit_report_and_recompute_count_the_lower_result(capsys, monkeypatch, tmp_path, is_old):
    file, data = write_league(tmp_path / "bots", bots=6, games=8), tmp_path / "data"
    asyncio.run(seal(file, data))
    if is_old:
        forget_judgement(data)
    monkeypatch.setattr(
        block_runner, "why_void", lambda row, *_: None if row.attempt else VoidReason("slow", row.tables[0][0])
    )

    assert league("run", file, "--data", data, "--nodes", 1) == 0
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0

    opened = asyncio.run(league_of(file, data))
    before = {act.values["block"]: act.values for act in opened.ledger.acts if act.kind == VOID}
    for result in opened.ledger.history:
        first, void = result.tables[0], before[result.block.number]
        if is_old:
            assert first.places_of == ""
        else:
            assert points_at(first.places, 0) <= points_at(void["places"][0], 0)
            assert (first.places_of == "") == (points_at(first.places, 0) < points_at(void["places"][0], 0))
        assert result.tables[1].places_of == ""
    with (tmp_path / "report" / "games.csv").open(newline="") as games:
        named = {row["places_of"] for row in csv.DictReader(games)}
    assert named <= {""} | {void["games"][0] for void in before.values()}
    assert (named == {""}) == is_old
    assert run_arena(capsys, "audit", "--data", data).code == 0
    subprocess.run([sys.executable, str(RECOMPUTE), str(tmp_path / "report")], check=True, capture_output=True)
