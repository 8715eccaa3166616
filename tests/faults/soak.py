"""Every kind of hostile client at once, beside ten honest matches on a real server.

`python -m tests.faults.soak [--seconds S] [--each] [--think MS]` prints what it measured, and ends with 1 if a goal was
missed. With `--each`, every kind attacks alone too, which shows what the server spends on it.
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc.aio
import psutil

from cheatarena.v1 import match_pb2
from tests.faults.hostile import KINDS
from tests.faults.processes import START_TIME_S, logged_errors
from tests.support.commands import CommandProcess, start_command
from tests.support.server import ServerClients, slow_pace, visit_server
from tests.support.wire_bot import WireBot
from tools.benchmarks.child import Child

HONEST, ATTACKERS = ("one", "two"), ("eve", "mallory", "trudy")
MATCHES, SEATS = 10, 4
RATE_GOAL = 0.8
"""What has to be left of the honest matches' rate."""
JOIN_GOAL_S = 2.0
CALM_S = 30.0
"""How long after the attack the memory may take to shrink to its goal."""
PROBE_EVERY_S = 0.5
JOINERS = 48
"""Bots that join one after the other; a token may join ten times a minute."""


@dataclass(frozen=True, slots=True)
class Span:
    """What happened in some seconds."""

    rate: float
    """Honest decisions a second."""
    cores: float
    """The CPU time that the server used in a second."""
    joins_s: Sequence[float]
    """How long each new bot took from dialling to its welcome."""
    failed_joins: Sequence[str]
    longest_pause_s: float
    """The longest time without an honest decision."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attack did to the honest matches."""

    alone: Span
    """Before and after the attack together."""
    beside: Span
    strikes: int
    complaints: Sequence[str]
    """Warnings of the honest bots' SDK."""
    memory_before: int
    memory_peak: int
    memory_after: int
    """Bytes of resident memory; `after`: the least within `CALM_S` after the attack."""
    counts: dict[str, int]
    """What the attackers did."""
    errors: Sequence[str]
    """Lines of the server's log that tell of an error or belong to a traceback."""

    @property
    def attack_cores(self) -> float:
        """The CPU time that the server used for the attackers in a second, if a decision costs what it cost alone."""
        return self.beside.cores - self.beside.rate * self.alone.cores / max(1, self.alone.rate)

    @property
    def memory_goal(self) -> float:
        """The most bytes that may be left."""
        return 1.1 * self.memory_before + 20 * 2**20

    @property
    def missed(self) -> list[str]:
        """The goals that were missed."""
        goals = {
            "strikes": not self.strikes,
            "warnings": not self.complaints,
            "rate": self.beside.rate >= RATE_GOAL * self.alone.rate,
            "joins": not self.beside.failed_joins and max(self.beside.joins_s, default=0) <= JOIN_GOAL_S,
            "memory": self.memory_after <= self.memory_goal,
            "log": not self.errors,
        }
        return [name for name, is_met in goals.items() if not is_met]


class AttackedArena:
    """A server process with honest matches on it."""

    def __init__(self, server: CommandProcess, clients: ServerClients, honest: Child, attackers: str) -> None:
        self._server = server
        self._clients = clients
        self._honest = honest
        self._attacker_tokens = attackers
        self._process = psutil.Process(server.pid)
        self._matches: list[str] = []
        self._joiners = itertools.cycle(f"joiner{index}" for index in range(JOINERS))

    @property
    def address(self) -> str:
        """HOST:PORT on which the server speaks plaintext."""
        return self._clients.address

    @property
    def tls_address(self) -> str:
        """HOST:PORT of the server's other listener, if its options name one."""
        [line] = [each for each in self._server.out if each.startswith("LISTENING")]
        return "127.0.0.1:" + line.strip().rpartition(":")[2]

    async def begin_matches(self) -> None:
        """Begin the honest matches, which last longer than any attack."""
        for _ in range(MATCHES):
            made = await self._clients.create_match(
                *HONEST * (SEATS // len(HONEST)), pace=slow_pace(), game_count=1000, seed=b"", unrated=True, options=[]
            )
            self._matches.append(made.match_id)

    async def attack(
        self, kinds: Sequence[str], seconds: float, *, calm_s: float = CALM_S, pause_ms: float = 20
    ) -> Verdict:
        """Watch the honest matches beside attackers of these kinds, before and after, and the server's memory."""
        await self.watch(seconds / 4)
        earlier = await self.watch(seconds / 2)
        before, said = self.memory, len(self._server.err)
        async with AsyncExitStack() as stack:
            hostile = await Child.start(
                "tests.faults.hostile_process", self._clients.address, self._attacker_tokens, str(pause_ms), *kinds
            )
            stack.push_async_callback(hostile.end)
            await _when_all_attack(hostile, kinds)
            beside = await self.watch(seconds)
            done, peak = await hostile.ask("count"), self.memory
        assert not done["failed"], done["failed"]
        after = await self._least_memory(1.1 * before + 20 * 2**20, calm_s)
        later = await self.watch(seconds / 2)
        alone = Span(
            (earlier.rate + later.rate) / 2,
            (earlier.cores + later.cores) / 2,
            [*earlier.joins_s, *later.joins_s],
            [*earlier.failed_joins, *later.failed_joins],
            max(earlier.longest_pause_s, later.longest_pause_s),
        )
        complaints = (await self._honest.ask("count"))["complaints"]
        errors = logged_errors(self._server.err[said:])
        strikes = await self._count_strikes()
        return Verdict(alone, beside, strikes, complaints, before, peak, after, done["counts"], errors)

    async def watch(self, seconds: float) -> Span:
        """Count honest decisions for a time, while one bot after the other joins."""
        joins_s: list[float] = []
        failed: list[str] = []
        probing = asyncio.create_task(self._probe(joins_s, failed))
        before, cpu_s, started = await self._honest.ask("count"), self._cpu_s(), time.monotonic()
        await asyncio.sleep(seconds)
        after, passed = await self._honest.ask("count"), time.monotonic() - started
        cores = (self._cpu_s() - cpu_s) / passed
        probing.cancel()
        await asyncio.gather(probing, return_exceptions=True)
        rate = (after["decisions"] - before["decisions"]) / passed
        return Span(rate, cores, joins_s, failed, after["pause_s"])

    async def _probe(self, joins_s: list[float], failed: list[str]) -> None:
        while True:
            name, started = next(self._joiners), time.monotonic()
            try:
                async with WireBot(self._clients.address, self._clients.tokens[name]) as bot:
                    await bot.open_session()
                    joins_s.append(time.monotonic() - started)
            except (grpc.aio.AioRpcError, TimeoutError, asyncio.InvalidStateError) as error:
                failed.append(repr(error))
            await asyncio.sleep(PROBE_EVERY_S)

    async def _count_strikes(self) -> int:
        counted = 0
        for match_id in self._matches:
            request = match_pb2.GetMatchRequest(match_id=match_id)
            found = (await self._clients.matches.GetMatch(request, metadata=self._clients.organizing)).match
            assert found.state == match_pb2.MATCH_STATE_RUNNING, found
            counted += sum(value for each in found.strikes for _, value in each.ListFields())
        return counted

    async def _least_memory(self, wanted: float, seconds: float) -> int:
        """Wait until the memory is as small as wanted, at most so long; return the least."""
        least, until = self.memory, time.monotonic() + seconds
        while least > wanted and time.monotonic() < until:
            await asyncio.sleep(0.5)
            least = min(least, self.memory)
        return least

    @property
    def memory(self) -> int:
        """Bytes of resident memory of the server."""
        memory: int = self._process.memory_info().rss
        return memory

    def _cpu_s(self) -> float:
        times: Any = self._process.cpu_times()
        used: float = times.user + times.system
        return used


@asynccontextmanager
async def attacked_arena(folder: Path, think_ms: int = 0, *options: object) -> AsyncIterator[AttackedArena]:
    """Run a server whose limits bind strangers on this machine, with honest matches."""
    environment = {"ARENA_LIMITS__BINDS_LOOPBACK": "true"}
    async with AsyncExitStack() as stack:
        always = ("--data", folder, "--grace", 0, "--log-level", "warning")
        server = stack.enter_context(start_command("serve", *always, *options, environment=environment))
        address = (await asyncio.to_thread(server.wait_for_line, "READY", START_TIME_S)).split()[1]
        clients = await stack.enter_async_context(visit_server(folder, address))
        for name in (*HONEST, *ATTACKERS, *(f"joiner{index}" for index in range(JOINERS))):
            clients.tokens[name] = await clients.create_token(name)
        tokens = [",".join(clients.tokens[name] for name in names) for names in (HONEST, ATTACKERS)]
        honest = await Child.start("tests.faults.honest_process", address, tokens[0], str(think_ms))
        stack.push_async_callback(honest.end)
        arena = AttackedArena(server, clients, honest, tokens[1])
        await _when_connected(arena)
        yield arena


async def _when_all_attack(hostile: Child, kinds: Sequence[str]) -> None:
    """Return as soon as each kind has done something: on a busy machine, attackers come last."""
    until = time.monotonic() + START_TIME_S
    while time.monotonic() < until and not set(kinds) <= (await hostile.ask("count"))["counts"].keys():
        await asyncio.sleep(0.1)


async def _when_connected(arena: AttackedArena) -> None:
    """Begin the matches as soon as the honest bots are there."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await arena.begin_matches()
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
            await asyncio.sleep(0.05)


def describe(name: str, verdict: Verdict) -> str:
    """Return one line of the table that `main` prints."""
    alone, beside = verdict.alone, verdict.beside
    done = ", ".join(f"{count} {kind}" for kind, count in sorted(verdict.counts.items()))
    return (
        f"{name:26} {alone.rate:7.0f} -> {beside.rate:7.0f}/s ({beside.rate / max(1, alone.rate):4.2f}x)"
        f"  server {alone.cores:4.2f} -> {beside.cores:4.2f} cores, {verdict.attack_cores:5.2f} for them"
        f"  join {max(beside.joins_s, default=0):5.2f} s, {len(beside.failed_joins)} of"
        f" {len(beside.joins_s) + len(beside.failed_joins)} failed"
        f"  strikes {verdict.strikes}  memory {verdict.memory_before >> 20} -> {verdict.memory_peak >> 20}"
        f" -> {verdict.memory_after >> 20} MB  errors {len(verdict.errors)}"
        f"  {'missed: ' + ', '.join(verdict.missed) if verdict.missed else 'ok'}\n    {done}"
    )


async def main(wanted: argparse.Namespace) -> int:
    """Attack, print, and return the exit code."""
    kinds = wanted.kinds.split(",") if wanted.kinds else list(KINDS)
    with tempfile.TemporaryDirectory() as folder:
        async with attacked_arena(Path(folder), wanted.think) as arena:
            for kind in kinds if wanted.each else ():
                print(describe(kind, await arena.attack([kind], wanted.seconds / 3, pause_ms=wanted.pause)), flush=True)
            together = await arena.attack(kinds, wanted.seconds, pause_ms=wanted.pause)
    print(describe(f"{len(kinds)} kinds at once", together))
    for line in (*together.errors[:20], *together.beside.failed_joins[:3], *together.complaints[:3]):
        print("   ", line.rstrip())
    return bool(together.missed)


def arguments() -> argparse.Namespace:
    """Read what is wanted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--think", type=int, default=0, help="milliseconds that honest bots think")
    parser.add_argument("--pause", type=float, default=20, help="milliseconds between two bursts of a hostile client")
    parser.add_argument("--kinds", default="", help="some kinds, with commas between them")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(arguments())))
