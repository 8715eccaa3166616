"""Stalls of the event loop are credited at once, and logged in one line a minute."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from arena.match.referee.scalars import Instant
from arena.server.node.stall_credit import REPORT_INTERVAL_S, StallCredit
from tests.simulation.virtual_time import VirtualLoop, World

MS = 1_000


async def stall_for_two_minutes(every_s: float) -> list[int]:
    """Stall for 80 ms again and again, until two minutes have passed. Return what the matches were credited."""
    loop, credited = asyncio.get_running_loop(), list[int]()
    registry: Any = SimpleNamespace(matches={1: None}, credit=lambda us, _: credited.append(us))
    resumed = asyncio.Event()
    resumed.set()
    stalls = StallCredit(registry, lambda: Instant(int(loop.time() * 1e6)), resumed)
    while loop.time() < 2 * REPORT_INTERVAL_S:
        await asyncio.sleep(every_s)
        stalls.on_stall(80 * MS)
    await asyncio.sleep(REPORT_INTERVAL_S)
    return credited


@pytest.mark.replaces_code
def test_stalls_are_added_up_once_a_minute():
    """On a busy machine, they were most lines of the log."""
    with capture_logs() as logs, asyncio.Runner(loop_factory=lambda: VirtualLoop(World(1))) as runner:
        credited = runner.run(stall_for_two_minutes(1.0))

    first, *others = logs
    assert (first["event"], first["count"], first["longest_ms"], first["total_ms"]) == ("loop stalled", 1, 80, 80)
    assert len(others) == 2
    assert sum(each["count"] for each in logs) == len(credited) > 100
    assert all(each["total_ms"] == 80 * each["count"] for each in logs)


@pytest.mark.replaces_code
def test_rare_stalls_are_logged_at_once():
    with capture_logs() as logs, asyncio.Runner(loop_factory=lambda: VirtualLoop(World(1))) as runner:
        runner.run(stall_for_two_minutes(REPORT_INTERVAL_S + 1))

    assert [each["count"] for each in logs] == [1, 1]
