"""Measures how fast the machine is, and how much other programs use it, during a measurement."""

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tools.benchmarks.row import Noise

LOOK = 200
"""Repetitions in one calibration, which takes a tenth of a millisecond."""
LOOK_S = 0.05
"""Seconds between calibrations. They take a five-hundredth of a core."""
_PROC_STAT = Path("/proc/stat")

Measured = TypeVar("Measured")


async def with_noise(measure: Callable[[], Awaitable[Measured]]) -> tuple[Measured, Noise]:
    """Measure, and return the result with the noise. All processes that `measure` starts must have ended afterwards."""
    looks = [_look_us()]
    looking = asyncio.create_task(_look_on(looks))
    busy_s, own_s, started_s = _busy_s(), _own_s(), time.perf_counter()
    try:
        measured = await measure()
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking
    looks.append(_look_us())
    span_s = time.perf_counter() - started_s
    others_s = _busy_s() - busy_s - (_own_s() - own_s)
    return measured, Noise(statistics.median(looks), max(0.0, others_s / span_s) if busy_s else None)


async def _look_on(looks: list[float]) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        looks.append(_look_us())


def _look_us() -> float:
    """Return the CPU time of one `sum(range(100))` in microseconds."""
    started_s = time.thread_time()
    for _ in range(LOOK):
        sum(range(100))
    return (time.thread_time() - started_s) / LOOK * 1e6


def _own_s() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _busy_s() -> float:
    """Return the CPU seconds used on all cores together; 0 if the system does not report them."""
    try:
        user, nice, system, _, _, irq, softirq, *_ = map(int, _PROC_STAT.read_text().split()[1:9])
    except OSError:
        return 0.0
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
