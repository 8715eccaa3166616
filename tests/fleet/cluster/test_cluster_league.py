"""A league on a Ray cluster: the same games as on this machine, although a machine is lost while it plays."""

import importlib.util
import json
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ARENA
from tests.support.ray_cluster import start_ray_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: see `make cluster`"),
]

BOT = """\
import asyncio
from cheatarena import Bot, Call, Decline, run

class Steady(Bot):
    async def turn(self, table, options):
        await asyncio.sleep(0.01)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if claim.count > {doubt} else Decline()

if __name__ == "__main__":
    run(Steady)
"""
"""Its answers depend on what it is asked alone."""
LEAGUE = """\
name = "three machines"
format = "season"
games = 60
seats = 3
[rules]
max_turns = 120
[pace_settings]
turn_ms = 30000
call_ms = 30000
[[entrants]]
bot = "trusting"
[[entrants]]
bot = "doubting.py"
[[entrants]]
bot = "sample:honest"
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    (tmp_path / "trusting").mkdir()
    (tmp_path / "trusting" / "bot.py").write_text(BOT.format(doubt=3))
    (tmp_path / "doubting.py").write_text(BOT.format(doubt=1))
    (tmp_path / "league.toml").write_text(LEAGUE)
    return tmp_path / "league.toml"


def call_arena(*words: object, environment: dict[str, str] | None = None) -> str:
    command = [*ARENA, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def results_in(data: Path) -> dict[int, Any]:
    """The places at every table of every block, by its number."""
    with closing(sqlite3.connect(data / "arena.db")) as database:
        rows = database.execute("SELECT number, results FROM league_block WHERE state = 'done'").fetchall()
    return {number: [(each["seats"], each["places"]) for each in json.loads(results)] for number, results in rows}


def wait_for_games(data: Path, count: int, running: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + 300
    while len(results_in(data)) < count:
        assert running.poll() is None, "the league has ended too soon"
        assert time.monotonic() < until
        time.sleep(0.1)


def test_league_on_three_machines_equals_one_here_although_a_machine_is_lost(league: Path, tmp_path: Path):
    here, there = tmp_path / "here", tmp_path / "there"
    call_arena("league", "seal", league, "--data", here)
    shutil.copytree(here, there)
    call_arena("league", "run", league, "--data", here)

    with start_ray_cluster(3) as cluster:
        words = [*ARENA, "league", "run", str(league), "--data", str(there), "--cluster", cluster.address]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=cluster.environment
        ) as running:
            wait_for_games(there, 5, running)
            cluster.kill_machine(2)
            output = running.communicate(timeout=600)[0]

        assert running.returncode == 0, output
        assert "3 nodes on 3 machines of the cluster" in output
        assert "on 127.0.0.4 was lost; 2 nodes left" in output
        assert results_in(there) == results_in(here)
        assert len(results_in(there)) == 60
        assert "everything agrees" in call_arena("audit", "--data", there)
        assert not cluster.find_users(), "processes of nodes are left"


def test_league_whose_runner_was_killed_goes_on_and_leaves_no_process(league: Path, tmp_path: Path):
    data = tmp_path / "data"
    with start_ray_cluster(2) as cluster:
        words = [*ARENA, "league", "run", str(league), "--data", str(data), "--cluster", cluster.address]
        call_arena("league", "seal", league, "--data", data)
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=cluster.environment
        ) as running:
            wait_for_games(data, 5, running)
            running.kill()
        until = time.monotonic() + 60
        while cluster.find_users():
            assert time.monotonic() < until, "nodes outlive their runner"
            time.sleep(0.1)

        call_arena("league", "resume", league, "--data", data, "--cluster", "auto", environment=cluster.environment)

        assert len(results_in(data)) == 60
        assert "everything agrees" in call_arena("audit", "--data", data)
