"""What viewers of a live table cost, and how soon they see a move: `python -m tools.studies.live_viewers`.

A server with its web pages runs in processes of its own, and bots play other matches there as fast as they can. At one
more table, each bot thinks for a while before it moves; viewers watch it, each with an address of its own, in a process
with the lowest priority. All of this shares one machine, so only ratios between neighbouring spans mean something: in
each round, the matches run for a while with viewers and for a while without.

`--crowd N` instead connects N viewers beyond the limits, and says what they take. `--asleep N` lets N of the viewers
read nothing.
"""

import argparse
import asyncio
import json
import os
import queue
import re
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final
from urllib.parse import urlsplit

from arena.match.referee.ports import MatchId
from arena.server.rpc.status_service import StatusClient
from arena.server.store.open_store import open_store
from cheatarena.tls_settings import TlsSettings
from cheatarena.v1 import decision_pb2, match_pb2
from tests.support.commands import start_command
from tests.support.server import slow_pace, visit_server
from tests.support.wire_bot import Message, WireBot, play_lowest

GOAL_COST: Final = 0.05
GOAL_S: Final = 0.25
_LOAD: Final = ("--matches", "1000", "--games", "20", "--at-once", "4", "--unrated")
_NAMES: Final = ("ann", "bob", "cid", "dora")
_OPTIONS: Final = (match_pb2.OptionSetting(name="max_turns", value="400"),)
_TURN: Final = re.compile(rb'<span class=\\"no\\">(\d+)</span> \w+ (?:claims|passes)')
_AT_ONCE: Final = 32
"""Viewers that connect at once."""
_CROWD_S: Final = 25.0
"""Seconds for which a crowd watches: longer than a viewer may read nothing."""


# ---- the table that is watched


class Table:
    """A match whose bots, in a thread, think before each move. It notes when each move was decided."""

    def __init__(self, think_s: float) -> None:
        self.decided: list[float] = []
        """The time at which each move or pass was decided, in the order of the match."""
        self._think_s = think_s
        self._may_begin, self._ends = threading.Event(), threading.Event()

    def choose(self, bot: WireBot, message: Message, prompt: decision_pb2.Prompt) -> decision_pb2.Decision:
        """Answer at once whether to call. Think before a move; nobody else at the table has anything to do then."""
        decision = play_lowest(bot, message, prompt)
        if prompt.HasField("cheat_turn"):
            self._may_begin.wait()
            if self._ends.wait(self._think_s):
                raise EOFError
            self.decided.append(time.monotonic())
        return decision

    def begin(self) -> None:
        """Let the first bot move."""
        self._may_begin.set()

    def end(self) -> None:
        """Play no more."""
        self._ends.set()
        self._may_begin.set()


@contextmanager
def open_table(data: Path, address: str, think_s: float) -> Iterator[tuple[Table, str]]:
    """Let bots sit down at a match. Yield the table and the id of the match."""
    table, ids = Table(think_s), queue.Queue[str]()

    async def play() -> None:
        async with visit_server(data, address) as clients:
            bots = await clients.connect_bots(*_NAMES)
            match = await clients.create_match(*_NAMES, pace=slow_pace(), game_count=1000, options=_OPTIONS)
            ids.put(match.match_id)
            with suppress(EOFError):
                await asyncio.gather(*(bot.play(table.choose) for bot in bots))

    thread = threading.Thread(target=asyncio.run, args=(play(),))
    thread.start()
    try:
        yield table, ids.get(timeout=60)
    finally:
        table.end()
        thread.join(60)


# ---- viewers


class Viewer(asyncio.Protocol):
    """One connection that reads a stream, or sleeps. It notes when the first line of each move came."""

    def __init__(self, request: bytes, is_noting: bool, is_asleep: bool) -> None:
        self.events = 0
        self.has_answer = asyncio.Event()
        self.status = 0
        self.seen: list[float] = []
        self.is_cut = False
        self._request = request
        self._is_noting = is_noting
        self._is_asleep = is_asleep
        self._transport: asyncio.Transport | None = None
        self._text = b""
        self._turn = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        if not self.status:
            self.status = int(data[9:12])
            self.has_answer.set()
            if self._is_asleep and self._transport is not None:
                self._transport.pause_reading()
        self.events += data.count(b"event: table")
        if self._is_noting:
            self._note(data, now)

    def connection_lost(self, _: Exception | None) -> None:
        self.is_cut = True
        self.has_answer.set()

    def _note(self, data: bytes, now: float) -> None:
        *events, self._text = (self._text + data).split(b"\n\n")
        for event in events:
            for turn in map(int, reversed(_TURN.findall(event))):  # the newest line is the first
                if turn != self._turn:
                    self._turn = turn
                    self.seen.append(now)


def _request_for(url: str, match_id: str) -> bytes:
    return f"GET /matches/{match_id}/events HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode()


async def connect(url: str, match_id: str, number: int, *, is_noting: bool = False, is_asleep: bool = False) -> Viewer:
    """Connect a viewer from an address of its own on this machine."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    source = f"127.{1 + number // 65_000}.{number // 250 % 250}.{1 + number % 250}"
    _, viewer = await asyncio.get_running_loop().create_connection(
        lambda: Viewer(_request_for(url, match_id), is_noting, is_asleep),
        parts.hostname or "",
        parts.port or 0,
        local_addr=(source, 0),
    )
    await viewer.has_answer.wait()
    if is_noting and viewer.status != 200:
        raise RuntimeError(f"a viewer is refused with status {viewer.status}")
    return viewer


async def serve_viewers() -> None:
    """Read from stdin how many viewers there have to be, and answer with one line: the process of the viewers."""
    os.nice(19)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    viewers: list[Viewer] = []
    while line := await reader.readline():
        url, match_id, count, asleep = json.loads(line)
        while len(viewers) < count:
            first = len(viewers)
            numbers = range(first, min(count, first + _AT_ONCE))
            viewers += await asyncio.gather(
                *(connect(url, match_id, number, is_asleep=number < asleep) for number in numbers)
            )
        print(json.dumps(_describe(viewers)), flush=True)


def _describe(viewers: Sequence[Viewer]) -> dict[str, int]:
    events = sorted(viewer.events for viewer in viewers)
    return {
        "admitted": sum(viewer.status == 200 for viewer in viewers),
        "refused": sum(viewer.status == 503 for viewer in viewers),
        "cut": sum(viewer.is_cut for viewer in viewers),
        "fewest_events": events[0],
        "most_events": events[-1],
    }


class Crowd:
    """The process of the viewers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, url: str, match_id: str, count: int, asleep: int = 0) -> dict[str, int]:
        """Let there be so many viewers, and return what they have seen so far."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, match_id, count, asleep]).encode() + b"\n")
        answer: dict[str, int] = json.loads(await self._process.stdout.readline())
        return answer


@asynccontextmanager
async def open_crowd() -> AsyncIterator[Crowd]:
    """Run the process of the viewers. All of them leave at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tools.studies.live_viewers", "--view",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Crowd(process)
    finally:
        process.kill()
        await process.wait()


# ---- the server


@dataclass(frozen=True)
class Site:
    """A server with its pages, and a table at which bots think."""

    address: str
    url: str
    match_id: str
    table: Table
    status: StatusClient
    web_pid: int

    async def measure_rate(self, seconds: float) -> float:
        """Return the decisions a second of all matches on the server."""
        before, begun = await self._count_decisions(), time.monotonic()
        await asyncio.sleep(seconds)
        return (await self._count_decisions() - before) / (time.monotonic() - begun)

    async def _count_decisions(self) -> int:
        return sum(node.decision_count for node in (await self.status.read()).nodes)


@asynccontextmanager
async def open_site(folder: Path, think_s: float, *, has_load: bool) -> AsyncIterator[Site]:
    """Run the server, the table and, if asked for, matches at full speed."""
    data = folder / "data"
    with ExitStack() as stack:
        server = stack.enter_context(start_command("serve", "--data", data, "--grace", 0, "--web", 0))
        address = server.wait_for_line("READY").split()[1]
        url = server.wait_for_line("WEB").split()[1]
        table, match_id = stack.enter_context(open_table(data, address, think_s))
        async with await open_store(data) as store:
            token = await store.tokens.create("study", ["organize"])
            while await store.results.summary(MatchId(match_id)) is None:  # its seats are only offered so far
                await asyncio.sleep(0.05)
        if has_load:
            bots = [word for _ in range(3) for word in ("--bot", "sample:random_legal")]
            stack.enter_context(start_command("match", *bots, *_LOAD, "--server", address, "--data", data))
        async with StatusClient(address, token, TlsSettings()) as status:
            yield Site(address, url, match_id, table, status, _child_of(server.pid))


def _child_of(pid: int) -> int:
    """Return the process of the pages: the child of the server."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return next(int(child) for child in children if b"--with-server" in Path(f"/proc/{child}/cmdline").read_bytes())


def processor_time_of(pid: int) -> float:
    """Return the seconds of a processor that a process has taken."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> int:
    """Return the bytes of memory that a process has for itself."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) * 1024


# ---- figures


@dataclass(frozen=True)
class Figures:
    """What the rounds have measured."""

    costs: list[float]
    """For each round, the share of decisions a second that the viewers cost."""
    rates: list[float]
    """Decisions a second without viewers."""
    shares: list[float]
    """For each round, the share of the machine's processors that the pages took with viewers."""
    waits: list[float]
    """Seconds from each decision to its event at the viewer that came last."""
    fewest_events: int
    """Updates at the viewer that got the fewest, over all rounds with viewers."""


async def measure_cost(site: Site, viewers: int, rounds: int, seconds: float) -> Figures:
    """Measure spans with and without viewers, in turns."""
    costs, rates, shares, waits, fewest = [], list[float](), list[float](), list[float](), 0
    for number in range(rounds):
        rate = {}
        for has_viewers in (True, False) if number % 2 else (False, True):
            if not has_viewers:
                rate[False] = await site.measure_rate(seconds)
                continue
            async with open_crowd() as crowd:
                await crowd.ask(site.url, site.match_id, viewers)
                begun = len(site.table.decided)
                probe = await connect(site.url, site.match_id, viewers, is_noting=True)
                used, begun_at = processor_time_of(site.web_pid), time.monotonic()
                rate[True] = await site.measure_rate(seconds)
                share = (processor_time_of(site.web_pid) - used) / (time.monotonic() - begun_at) / (os.cpu_count() or 1)
                shares.append(share)
                said = await crowd.ask(site.url, site.match_id, viewers)
                waits += match_waits(site.table.decided[begun:], probe.seen)
                fewest += said["fewest_events"]
                assert said["admitted"] == viewers, said
        costs.append(1 - rate[True] / rate[False])
        rates.append(rate[False])
        print(f"round {number}: {rate[False]:,.0f} decisions a second without, {rate[True]:,.0f} with viewers")
    return Figures(costs, rates, shares, waits, fewest)


def match_waits(decided: Sequence[float], seen: Sequence[float]) -> list[float]:
    """Return how long each move took until its line came. Moves and lines are in the same order.

    >>> match_waits([1.0, 2.0, 3.0], [0.5, 1.25, 3.5, 4.0])
    [0.25, 1.5, 1.0]
    """
    waits, arrivals = [], iter(seen)
    for at in decided:
        arrived = next((each for each in arrivals if each >= at), None)
        if arrived is not None:
            waits.append(arrived - at)
    return waits


def print_figures(figures: Figures, viewers: int) -> None:
    hundredths = quantiles(figures.waits, n=100)
    cost = median(figures.costs)
    print(f"decisions a second without viewers: median {median(figures.rates):,.0f}")
    print(f"cost of {viewers} viewers: median {cost:.1%}, of {len(figures.costs)} rounds", end="")
    print(f" ({min(figures.costs):.1%} to {max(figures.costs):.1%}){'' if cost < GOAL_COST else '  ABOVE 5 %'}")
    print(f"processors that the pages took: median {median(figures.shares):.1%}")
    print(f"from decision to event, {len(figures.waits)} moves: median {median(figures.waits) * 1e3:.0f} ms", end="")
    print(f", 99 % within {hundredths[98] * 1e3:.0f} ms{'' if hundredths[98] < GOAL_S else '  ABOVE 250 ms'}")
    print(f"fewest updates of a viewer: {figures.fewest_events}")


async def measure_crowd(site: Site, count: int, asleep: int) -> None:
    """Connect a crowd, of which some read nothing. Print what the process of the pages takes."""
    site.table.begin()
    before = memory_of(site.web_pid)
    async with open_crowd() as crowd:
        said = await crowd.ask(site.url, site.match_id, count, asleep)
        probe = await connect(site.url, site.match_id, count, is_noting=True)
        begun = len(site.table.decided)
        await asyncio.sleep(_CROWD_S)
        waits = match_waits(site.table.decided[begun:], probe.seen)
        said = await crowd.ask(site.url, site.match_id, count, asleep)
        grown = memory_of(site.web_pid) - before
    wait = f"median {median(waits) * 1e3:.0f} ms" if waits else f"none (status {probe.status})"
    print(f"{count:,} viewers, {asleep:,} of them asleep: {said}")
    print(f"memory of the pages: {grown / 1e6:.0f} MB more, {grown / max(1, said['admitted']) / 1e3:.1f} kB a viewer")
    print(f"wait of one more viewer: {wait}")


async def main(asked: argparse.Namespace) -> None:
    if asked.view:
        await serve_viewers()
        return
    with tempfile.TemporaryDirectory() as folder:
        async with open_site(Path(folder), asked.think, has_load=not asked.crowd) as site:
            if asked.crowd:
                await measure_crowd(site, asked.crowd, asked.asleep)
                return
            site.table.begin()
            await asyncio.sleep(asked.seconds)
            figures = await measure_cost(site, asked.viewers, asked.rounds, asked.seconds)
        print_figures(figures, asked.viewers)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--think", type=float, default=0.3, help="seconds that a bot at the table thinks")
    parser.add_argument("--crowd", type=int, default=0)
    parser.add_argument("--asleep", type=int, default=0)
    parser.add_argument("--view", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(read_arguments()))
