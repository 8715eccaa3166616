"""A league that is stopped and killed again and again ends as if it had never been interrupted."""

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.organizer.view.league_standings import compute_league_standings
from arena.server.store.data_folder import acquire_folder_lock
from tests.organizer.leagues import league, league_of, outcome, seal, start, write_league
from tests.support.commands import run_arena

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

SIGNALS = (signal.SIGINT, signal.SIGKILL)


def play_through(file: Path, data: Path, nodes: int = 2) -> None:
    """Play a league to its end without interruption."""
    assert league("run", file, "--data", data, "--nodes", nodes) == 0


def interrupt(file: Path, data: Path, nodes: int, how: signal.Signals, after_s: float) -> None:
    """Start the league, and stop it this long after its first game began."""
    run = start("run", file, data, "--nodes", str(nodes))
    begun = _begun(data)
    deadline = time.monotonic() + 60
    while run.poll() is None and _begun(data) <= begun and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(after_s)
    run.send_signal(how)
    _, told = run.communicate(timeout=60)
    if how is signal.SIGINT and run.returncode != 0:
        assert run.returncode == 130, told
        assert "arena league resume" in told


def journals(data: Path) -> Sequence[int]:
    """Return how many nodes have had each block so far."""
    store = sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)
    try:
        return [row[0] for row in store.execute("select json_array_length(journals) from league_block")]
    finally:
        store.close()


def _begun(data: Path) -> int:
    return sum(journals(data))


def test_locked_folder_is_refused_before_the_trial_of_a_budget(tmp_path, capsys):
    """The trial would take up to a minute, for nothing."""
    file, other = (
        write_league(tmp_path / "bots", format=None, games=None, tables=None, budget="30s"),
        tmp_path / "other",
    )
    asyncio.run(seal(write_league(other, name="other"), tmp_path / "data"))  # so that there is a store to open
    with acquire_folder_lock(tmp_path / "data"):
        refused = run_arena(capsys, "league", "run", file, "--data", tmp_path / "data")

    assert refused.code == 75
    assert "is held by" in refused.err
    assert "a trial of" not in refused.err


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.long
def test_standings_equal_those_of_uninterrupted_run(tmp_path):
    """The league is stopped and killed at random, each time with other nodes; INTERRUPTIONS sets how often."""
    rng, times = Random(11), int(os.environ.get("INTERRUPTIONS", "2"))
    file = write_league(tmp_path / "bots", bots=4 + 2 * (times > 2), games=8 + 3 * times, think=0.01)
    for name in ("whole", "cut"):
        asyncio.run(seal(file, tmp_path / name))
    play_through(file, tmp_path / "whole")

    for number in range(times):
        how = SIGNALS[number % 2] if times < 4 else rng.choice(SIGNALS)
        interrupt(file, tmp_path / "cut", rng.choice((1, 2)), how, rng.uniform(0.1, 1.0))
    play_through(file, tmp_path / "cut", 1)

    asyncio.run(check_equal(file, tmp_path))
    assert max(journals(tmp_path / "cut")) > 1, "nothing was cut off in the middle: make the games longer"


WAITING: Mapping[str, Mapping[str, Any]] = {
    "swiss": {"games": 1, "rounds": 3},
    "knockout": {"games": 2},
    "ladder": {"games": 1, "rounds": 3},
    "play-off": {"format": "season", "games": 4, "play_off": 2},
}
"""Rounds of these follow from the results before them, which are the same with bots that decide by what they see."""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", WAITING if "INTERRUPTIONS" in os.environ else ("ladder",))
def test_result_dependent_rounds_equal_those_of_uninterrupted_run(tmp_path, name):
    """The league is killed at random; INTERRUPTIONS sets how often, and so whether all these formats run."""
    rng, times = Random(12), int(os.environ.get("INTERRUPTIONS", "1"))
    file = write_league(tmp_path / "bots", bots=4, seats=2, think=0.01, **{"format": name, **WAITING[name]})
    for folder in ("whole", "cut"):
        asyncio.run(seal(file, tmp_path / folder))
    play_through(file, tmp_path / "whole", 1)

    for _ in range(times):
        interrupt(file, tmp_path / "cut", rng.choice((1, 2)), signal.SIGKILL, rng.uniform(0.1, 0.5))
    play_through(file, tmp_path / "cut", 1)

    asyncio.run(check_equal(file, tmp_path))


async def check_equal(file: Path, folder: Path) -> None:
    """Check that schedule, results and table equal those without interruptions, and that everything was played."""
    whole, cut = [await league_of(file, folder / name) for name in ("whole", "cut")]
    assert outcome(cut.ledger.history) == outcome(whole.ledger.history)
    assert compute_league_standings(cut) == compute_league_standings(whole)
    assert cut.schedule.is_over
    assert len({result.block.round for result in cut.ledger.history}) > 1
