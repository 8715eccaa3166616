"""Measures how quickly a pool of many connected bots seats them, and what its matchmaker costs.

    python -m tools.studies.pool_load [--bots 1000] [--seconds 60]

A server runs in a process of its own, and the bots in this one, each with a connection of its own. A seat is free when
its bot is told that its match is over; the wait ends with the first prompt of its next match. The matchmaker's share of
a core is the processor time of its rounds, without the creation of the matches.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from arena.competition.pools.matchmaker import Matchmaker
from arena.competition.pools.pool_settings import PoolSettings
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.assembly.server import start_server
from arena.fleet.telemetry import set_up_logging
from arena.match.referee.interrupted_match import MAX_MATCH_AGE_US
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.node.limits import Limits
from tests.support.wire_bot import Message, WireBot, is_match_over, play_lowest

POOL = "load"
POOL_SETTINGS = PoolSettings(
    name=POOL, rules={"max_turns": 20}, pace_settings={"turn_ms": 5_000, "call_ms": 400}, seats=4
)
WARM_UP_S = 10.0


class CpuClock:
    """Adds up the processor time that a coroutine function takes between its awaits."""

    def __init__(self) -> None:
        self.used_s = 0.0

    def wrap(self, work: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Any]:
        """Return the function, timed."""

        async def timed(*values: Any) -> None:
            await _Timed(work(*values), self)

        return timed


class _Timed:
    def __init__(self, work: Coroutine[Any, Any, None], clock: CpuClock) -> None:
        self._work = work
        self._clock = clock

    def __await__(self) -> Any:
        sent = None
        while True:
            begun = time.thread_time()
            try:
                awaited = self._work.send(sent)
            except StopIteration:
                return
            finally:
                self._clock.used_s += time.thread_time() - begun
            sent = yield awaited


async def _serve(folder: Path, bots: int, clock: NodeClock, selector: StampingSelector) -> int:
    """Serve until stdin closes. Print the address and the tokens, and at the end the figures."""
    set_up_logging("warning")
    rounds = CpuClock()
    setattr(Matchmaker, "play_round", rounds.wrap(Matchmaker.play_round))  # noqa: B010  measures without a hook
    config = ServerConfig(folder, pools=(POOL_SETTINGS,), limits=Limits(sessions=20_000))
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with start_server(config, clock, selector) as running:
        tokens = [await running.store.tokens.create(f"bot{number}", ["play"]) for number in range(bots)]
        print(json.dumps({"address": running.address, "tokens": tokens}), flush=True)
        while await reader.readline():
            figures = {"rounds_s": rounds.used_s, "cpu_s": time.process_time()}
            print(json.dumps(figures), flush=True)
    return 0


class WaitMeter:
    """Measures how long bots wait between two matches."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def play(self, bot: WireBot) -> None:
        """Play match after match, and note the wait before each but the first."""
        ended_at: float | None = None
        while True:
            await bot.play(play_lowest, stop=_has_prompt)
            if ended_at is not None:
                self.waits.append(time.monotonic() - ended_at)
            await bot.play(play_lowest, stop=None)
            ended_at = time.monotonic()
            for kept in (bot.messages, bot.raw_frames, bot.accepted):
                kept.clear()


def _has_prompt(message: Message) -> bool:
    return bool(message.prompts) and not is_match_over(message)


async def measure(bots: int, seconds: float) -> None:
    """Run the server and its bots, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tools.studies.pool_load", "--serve", folder, "--bots", str(bots),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24,
        )  # fmt: skip
        try:
            await _measure_with(server, seconds)
        finally:
            assert server.stdin is not None
            server.stdin.close()
            server.terminate()
            await server.wait()


async def _measure_with(server: asyncio.subprocess.Process, seconds: float) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    first = json.loads(await server.stdout.readline())

    async def ask() -> dict[str, float]:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"figures\n")
        answer: dict[str, float] = json.loads(await server.stdout.readline())
        return answer

    meter = WaitMeter()
    players = [WireBot(first["address"], token) for token in first["tokens"]]
    for player in players:
        await player.open_session(pools={POOL: 1})
    tasks = [asyncio.create_task(meter.play(player)) for player in players]
    await asyncio.sleep(WARM_UP_S)
    meter.waits.clear()
    before, begun = await ask(), time.monotonic()
    await asyncio.sleep(seconds)
    after, took = await ask(), time.monotonic() - begun
    for task in tasks:
        task.cancel()
    failed = [each for each in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(each, Exception)]
    waits = sorted(meter.waits)
    share = {name: (after[name] - before[name]) / took for name in after}
    print(
        f"{len(players)} bots, {took:.0f} s: {len(waits)} seats given ({len(waits) / took:.0f} a second);"
        f" from free seat to first prompt median {statistics.median(waits):.2f} s,"
        f" 90 % {waits[int(len(waits) * 0.9)]:.2f} s, 99 % {waits[int(len(waits) * 0.99)]:.2f} s;"
        f" matchmaker {share['rounds_s']:.1%} of a core, the whole server {share['cpu_s']:.0%};"
        f" {len(failed)} bots failed {failed[:2]}"
    )


def main() -> None:
    """Measure, or be the server of a measurement."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--serve", type=Path)
    asked = parser.parse_args()
    if asked.serve is not None:
        folder, bots = asked.serve, asked.bots
        run_node_loop(lambda clock, selector: _serve(folder, bots, clock, selector), MAX_MATCH_AGE_US)
    else:
        asyncio.run(measure(asked.bots, asked.seconds))


if __name__ == "__main__":
    main()
