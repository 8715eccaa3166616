"""A process of a server that ends is started again: soon at first, and ever later while it ends again and again."""

import asyncio
from itertools import pairwise

import pytest

from arena.fleet.runner.keep_running import FIRST_WAIT_S, LONGEST_WAIT_S, STEADY_S, keep_running
from tests.simulation.virtual_time import VirtualLoop, World


def waits_between(lives_s: list[float]) -> list[float]:
    """Return the seconds between the end of each process and the start of the next one, on a virtual clock."""
    waits: list[float] = []

    async def play() -> None:
        loop, lives, ended = asyncio.get_running_loop(), iter(lives_s), asyncio.Event()
        spans: list[tuple[float, float]] = []

        async def run_once() -> str:
            began, life_s = loop.time(), next(lives, None)
            if life_s is None:
                ended.set()
                await asyncio.Event().wait()
            await asyncio.sleep(life_s or 0.0)
            spans.append((began, loop.time()))
            return "exit code 1"

        running = asyncio.create_task(keep_running("house-bot", run_once))
        await ended.wait()
        waits.extend(after[0] - before[1] for before, after in pairwise([*spans, (loop.time(), 0.0)]))
        running.cancel()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(World(1))) as runner:
        runner.run(play())
    return waits


def test_wait_doubles_up_to_a_minute():
    assert waits_between([0.0] * 8) == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60], abs=0.01)


def test_process_that_lived_long_is_started_again_soon():
    assert waits_between([0.0, 0.0, STEADY_S, 0.0]) == pytest.approx([1, 2, FIRST_WAIT_S, 2], abs=0.01)


def test_process_that_did_not_live_long_waits_longer():
    assert waits_between([0.0, STEADY_S - 1, 0.0]) == pytest.approx([1, 2, 4], abs=0.01)
    assert LONGEST_WAIT_S == 60
