"""What is measured: each row starts its own processes, lets them warm up, looks at their counters twice."""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.child import Child

SEATS = 4
_PROC_STAT = Path("/proc/stat")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one row. None: it makes no sense there."""

    name: str
    matches: int | None
    rate: float
    """Decisions, in an echo messages, a second."""
    server_us: float
    """CPU time of the server's process for each of them."""
    bots_us: float | None
    """CPU time of the processes of bots, together, for each of them."""
    per_frame_in: float
    """How many a frame to the server holds."""
    per_frame_out: float
    p50_ms: float | None
    """A turn of four seats, in an echo a round trip."""
    p99_ms: float | None
    others: float | None
    """Cores that other programs used meanwhile."""
    calibration_us: float
    """CPU time of one `sum(range(100))`, in an echo before the row, else in the server's process during it."""
    remark: str = ""


def calibration_us() -> float:
    """Microseconds of `sum(range(100))` just now: the median of many short looks, so that a busy core shows."""
    looks = []
    for _ in range(100):
        started_s = time.perf_counter()
        for _ in range(100):
            sum(range(100))
        looks.append((time.perf_counter() - started_s) * 1e4)
    return statistics.median(looks)


async def decisions_row(name: str, matches: int, seconds: float, kind: str = "") -> Row:
    """Measure matches between two processes of bots, each with two seats of every match; `kind`: `single` or `disk`."""
    is_single = kind == "single"
    async with AsyncExitStack() as stack:
        flags = (f"--{kind}",) if kind else ()
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = await _start(stack, "tests.benchmarks.server_process", folder, *flags)
        sessions = (str(2 * matches),) if is_single else ()
        started = [
            _start(stack, "tests.benchmarks.bots_process", server.first["address"], token, *sessions)
            for token in server.first["tokens"]
        ]
        bots = [await each for each in started]
        while (await server.ask("count"))["sessions"] < (SEATS * matches if is_single else len(bots)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await server.ask("create", matches=[_entrants(index, is_single=is_single) for index in range(matches)])
        await asyncio.sleep(seconds / 4)
        before, cpu_before = await _counts(server, bots)
        idle_before = _busy_s()
        await asyncio.sleep(seconds)
        after, cpu_after = await _counts(server, bots)
        busy_s = _busy_s() - idle_before
    return _decisions(name, matches, before, after, cpu_before, cpu_after, busy_s)


async def echo_row(name: str, seconds: float, *, streams: int, batch: int) -> Row:
    """Measure round trips of a bare echo between two processes of clients and a server."""
    calibrated_us = calibration_us()
    client_count = min(2, streams)
    async with AsyncExitStack() as stack:
        server = await _start(stack, "tests.benchmarks.echo_process", "server")
        clients = [await _start(stack, "tests.benchmarks.echo_process", "client") for _ in range(client_count)]
        wanted = {"address": server.first["address"], "streams": streams // client_count, "batch": batch}
        await asyncio.gather(*(client.ask("run", seconds=seconds / 4, **wanted) for client in clients))
        cpu_s = (await server.ask("count"))["cpu_s"]
        heard = await asyncio.gather(*(client.ask("run", seconds=seconds, **wanted) for client in clients))
        cpu_s = (await server.ask("count"))["cpu_s"] - cpu_s
    trips_s = sorted(trip for each in heard for trip in each["trips_s"])
    count = len(trips_s) * batch
    return Row(
        name, None, count / seconds, cpu_s / count * 1e6, None, batch, batch, _ms(trips_s, 0.5), _ms(trips_s, 0.99),
        None, calibrated_us,
    )  # fmt: skip


async def _start(stack: AsyncExitStack, module: str, *arguments: str) -> Child:
    child = await Child.start(module, *arguments)
    stack.push_async_callback(child.end)
    return child


def _entrants(match: int, *, is_single: bool) -> list[str]:
    """Two seats for each of two bots; with a session a seat, two sessions of each that nobody else has."""
    if not is_single:
        return ["one", "one", "two", "two"]
    return [f"{name}/{2 * match + index}" for name in ("one", "two") for index in range(2)]


async def _counts(server: Child, bots: Sequence[Child]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return await server.ask("count"), [await each.ask("count") for each in bots]


def _decisions(
    name: str,
    matches: int,
    before: dict[str, Any],
    after: dict[str, Any],
    bots_before: list[dict[str, Any]],
    bots_after: list[dict[str, Any]],
    busy_s: float,
) -> Row:
    span_s = after["at_s"] - before["at_s"]
    grown = {key: after[key] - before[key] for key in before}
    count = max(1, grown["decisions"])
    bots_s = sum(late["cpu_s"] - early["cpu_s"] for early, late in zip(bots_before, bots_after, strict=True))
    turns_s = sorted(turn for each in bots_after for turn in each["turns_s"])
    remark = f"{grown['strikes']} strikes" if grown["strikes"] else ""
    others = max(0.0, busy_s - grown["cpu_s"] - bots_s) / span_s if busy_s else None
    return Row(
        name, matches, grown["decisions"] / span_s, grown["cpu_s"] / count * 1e6, bots_s / count * 1e6,
        count / max(1, grown["frames_in"]), count / max(1, grown["frames_out"]), _ms(turns_s, 0.5),
        _ms(turns_s, 0.99), others, grown["looked_s"] / max(1, grown["looks"]) * 1e6, remark,
    )  # fmt: skip


def _ms(ascending: Sequence[float], part: float) -> float | None:
    """A quantile in milliseconds."""
    return ascending[min(len(ascending) - 1, int(part * len(ascending)))] * 1e3 if ascending else None


def _busy_s() -> float:
    """CPU seconds that the machine has worked, all cores together; 0 where the system does not say."""
    try:
        user, nice, system, _, _, irq, softirq, *_ = map(int, _PROC_STAT.read_text().split()[1:9])
    except OSError:
        return 0.0
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
