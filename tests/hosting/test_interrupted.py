"""A league that is stopped and killed again and again comes out as if nothing had happened."""

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tests.hosting.leagues import history_of, outcome, seal, start, write_league

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

SIGNALS = (signal.SIGINT, signal.SIGKILL)


async def play_through(file: Path, data: Path, nodes: int = 2) -> None:
    """Play a league to its end without interruption."""
    run = start("run", file, data, "--nodes", str(nodes))
    _, told = await asyncio.to_thread(run.communicate, timeout=240)
    assert run.returncode == 0, told


async def interrupt(file: Path, data: Path, nodes: int, how: signal.Signals, after_s: float) -> None:
    """Start, and stop so long after the first game was under way."""
    run = start("run", file, data, "--nodes", str(nodes))
    begun = _begun(data)
    deadline = time.monotonic() + 60
    while run.poll() is None and _begun(data) <= begun and time.monotonic() < deadline:  # noqa: ASYNC110  nothing announces it
        await asyncio.sleep(0.05)
    await asyncio.sleep(after_s)
    run.send_signal(how)
    _, told = await asyncio.to_thread(run.communicate, timeout=60)
    if how is signal.SIGINT and run.returncode != 0:
        assert run.returncode == 130, told
        assert "arena league resume" in told


def journals(data: Path) -> Sequence[int]:
    """How many nodes have had each block so far."""
    store = sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)
    try:
        return [row[0] for row in store.execute("select json_array_length(journals) from league_block")]
    finally:
        store.close()


def _begun(data: Path) -> int:
    return sum(journals(data))


@pytest.mark.timeout(600)
async def test_standings_are_those_of_an_undisturbed_run(tmp_path):
    """Stopped and killed at random, with other nodes each time; how often says INTERRUPTIONS."""
    rng, times = Random(11), int(os.environ.get("INTERRUPTIONS", "2"))
    file = write_league(tmp_path / "bots", bots=4 + 2 * (times > 2), games=8 + 3 * times, think=0.01)
    for name in ("whole", "cut"):
        await seal(file, tmp_path / name)
    await play_through(file, tmp_path / "whole")

    for number in range(times):
        how = SIGNALS[number % 2] if times < 4 else rng.choice(SIGNALS)
        await interrupt(file, tmp_path / "cut", rng.choice((1, 2)), how, rng.uniform(0.1, 1.0))
    await play_through(file, tmp_path / "cut", 1)

    whole, cut = [outcome(await history_of(file, tmp_path / name)) for name in ("whole", "cut")]
    assert cut == whole
    assert max(journals(tmp_path / "cut")) > 1, "nothing was cut off in the middle: make the games longer"
