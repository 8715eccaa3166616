"""A league in which only the winner counts, stopped in the middle, from its seal to its proofs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.organizer.leagues import league, start, write_league
from tests.support.commands import run_arena

RECOMPUTE = Path(__file__).parents[2] / "docs" / "recompute.py"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
def test_folk_league_that_was_stopped_agrees_with_recompute_audit_and_verifier(capsys, tmp_path):
    file, data = write_league(tmp_path / "bots", games=16, seats=4, think=0.01, preset="folk", tables=1), tmp_path / "d"
    assert league("seal", file, "--data", data) == 0
    line = capsys.readouterr().out.splitlines()[0]
    running = start("run", file, data, "--nodes", "1")
    until = time.monotonic() + 60
    while run_arena(capsys, "league", "status", file, "--data", data, "--json").json["games"] < 1:
        assert time.monotonic() < until
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=60)

    assert league("resume", file, "--data", data, "--nodes", 1) == 0
    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0
    assert league("publish", file, "--data", data, "--out", tmp_path / "site") == 0

    assert run_arena(capsys, "audit", "--data", data).code == 0
    scripts = (
        [RECOMPUTE, tmp_path / "report"],
        [tmp_path / "site/verify/verify_league.py", tmp_path / "site/league.json", "--line", line],
    )
    for script in scripts:
        subprocess.run([sys.executable, *map(str, script)], check=True, capture_output=True)
