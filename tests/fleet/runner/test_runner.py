"""A runner gives each match to a node that is free: a queue of any length, each with its own terms and bots."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.match.order import find_players
from arena.errors import BotStartError, EnvironmentFaultError, RequestError
from arena.fleet.runner.job import MatchJob, MatchJobResult
from arena.fleet.runner.runner import Runner, open_runner
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.pace import Pace
from tests.support.bots import write_bots
from tests.support.commands import children_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a node inherits its line")


def job(bots: Path, *names: str, **changes: Any) -> MatchJob:
    players = find_players([str(bots / name) for name in names])
    given: dict[str, Any] = {"pace": Pace.sealed_defaults(), "options": {"max_turns": "20"}} | changes
    return MatchJob(MatchOrder(tuple(player.name for player in players), **given), players)


@pytest.fixture
async def runner(tmp_path) -> AsyncIterator[Runner]:
    async with open_runner(tmp_path / "data", 2) as runner:
        yield runner


@pytest.mark.slow
async def test_matches_wait_for_nodes_and_nodes_for_matches(runner: Runner, tmp_path):
    """Three matches run on two nodes; one that fails costs the others nothing."""
    bots, noted = write_bots(tmp_path / "bots"), list[MatchJobResult]()
    jobs = [
        job(bots, "honest", "doubter", game_count=2),
        job(bots, "honest", "broken"),
        job(bots, "honest", "honest", preset="folk"),
        job(bots, "honest", "honest", game_count=0),
    ]

    played = await asyncio.gather(*(runner.play(each, noted) for each in jobs), return_exceptions=True)

    first, failed, third, refused = played
    assert isinstance(first, MatchJobResult)
    assert isinstance(third, MatchJobResult)
    assert first.report is not None
    assert third.report is not None
    assert (len(first.report.games), len(third.report.games)) == (2, 1)
    assert first.report.termination == third.report.termination == "finished"
    assert isinstance(failed, BotStartError)
    assert isinstance(refused, RequestError)
    assert len(noted) == 2


@pytest.mark.slow
async def test_matches_do_not_wait_without_nodes(runner: Runner, tmp_path):
    waiting = job(write_bots(tmp_path / "bots"), "honest", "doubter")
    for node in children_of(os.getpid()):
        os.kill(node, signal.SIGKILL)
    while any(node.is_up for node in runner.nodes):
        await asyncio.sleep(0.01)

    for _ in range(2):
        with pytest.raises(EnvironmentFaultError, match="no node is left"):
            await runner.play(waiting, [])


@pytest.mark.slow
async def test_node_that_cannot_start_says_why(tmp_path, monkeypatch):
    """Two nodes with the same name would write one journal."""
    monkeypatch.setattr("arena.fleet.runner.runner.new_node_name", lambda _: "same")

    with pytest.raises(EnvironmentFaultError, match=r"cannot create the journal .*same.journal"):
        async with open_runner(tmp_path / "data", 2):
            pass


def test_node_loads_no_database():
    """It opens no store, and starts in a third of the time."""
    program = "import sys, arena.fleet.runner.node_main; print('sqlalchemy' in sys.modules, 'sqlite3' in sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert loaded.split() == ["False", "True"], "of databases the lock alone"
