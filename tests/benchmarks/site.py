"""A server and its bots in processes of their own, and what they did in a span of time."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.child import Child
from tests.benchmarks.row import quantile

SEATS = 4
BOTS = ("one", "two")


@dataclass(frozen=True, slots=True)
class Play:
    """What is played."""

    preset: str = "standard"
    game: str = "cheat"
    options: Mapping[str, object] | None = None
    """Rules that differ from the preset."""
    pace: Mapping[str, object] | None = None
    """Times that differ from the benchmark's pace, which makes no move for anybody."""


@dataclass(frozen=True, slots=True)
class Span:
    """What happened in a span of time."""

    rate: float
    """Decisions (answered prompts) a second, all matches together."""
    decisions: int
    server_us: float
    """CPU time of the server's process for each of them, threads of gRPC included."""
    bots_us: float
    """The same of all processes of bots together."""
    per_frame_in: float
    """Decisions for each frame that the server read."""
    per_frame_out: float
    """Messages for each frame that it wrote."""
    turns_s: Sequence[float]
    """From one landed play to the next, as the bot of entrant 0 sees it."""
    waits_s: Sequence[float]
    """From the last answer of a process to its next question, if its bots note that."""
    strikes: int
    troubles: int
    """Warnings of the SDK: a missing message, a lost stream, a refused answer."""

    @property
    def remark(self) -> str:
        """What went wrong; empty: nothing."""
        words = [
            f"{number} {word}" for number, word in ((self.strikes, "strikes"), (self.troubles, "troubles")) if number
        ]
        return ", ".join(words)

    def turn_ms(self, part: float) -> float:
        """A quantile of the turns."""
        return quantile(self.turns_s, part) * 1e3


class Site:
    """A running server and its bots."""

    def __init__(self, server: Child, bots: Sequence[Child], *, is_single: bool) -> None:
        self.server = server
        self.bots = bots
        self.tokens: Mapping[str, str] = server.first["tokens"]
        self.address: str = server.first["address"]
        self._is_single = is_single

    async def play(self, count: int, play: Play, names: Sequence[str] = ()) -> list[float]:
        """Begin so many matches, by default of all bots; gives the instants at which each was asked for."""
        matches = [list(names) or self._entrants(index) for index in range(count)]
        asked = {"game": play.game, "preset": play.preset, "options": dict(play.options or {})}
        made = await self.server.ask("create", matches=matches, pace=dict(play.pace or {}), **asked)
        made_s: list[float] = made["made_s"]
        return made_s

    async def watch(self, seconds: float, upto: int | None = None) -> Span:
        """Look at the counters, wait, look again; `upto`: count the first so many matches alone."""
        counted = {} if upto is None else {"upto": upto}
        before = await self.server.ask("count", **counted), await self._ask_bots()
        await asyncio.sleep(seconds)
        after = await self.server.ask("count", **counted), await self._ask_bots()
        return _span(before, after)

    async def _ask_bots(self) -> list[dict[str, Any]]:
        return [await each.ask("count") for each in self.bots]

    def _entrants(self, match: int) -> list[str]:
        """The seats shared among the bots; with a session a seat, each has sessions that nobody else has."""
        names = BOTS[: len(self.bots)]
        each = SEATS // len(names)
        if not self._is_single:
            return [name for name in names for _ in range(each)]
        return [f"{name}/{each * match + index}" for name in names for index in range(each)]


@asynccontextmanager
async def site(
    bot: str = "cheat",
    processes: int = 2,
    journal: str = "process",
    single: int = 0,
    *,
    keeps_records: bool = False,
    tls: bool = False,
    delay_s: float = 0.0,
) -> AsyncIterator[Site]:
    """Start a server and its bots, and wait until they are connected.

    `single`: so many matches will be played with a session, and a stream, for each seat. `keeps_records`: finished
    games are stored; without it nothing is but the journal. `delay_s`: how far away the bots are, one way.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        flags = ["--journal", journal, *["--single"] * bool(single), *["--records"] * keeps_records, *["--tls"] * tls]
        server = await start(stack, "server", folder, *flags)
        sessions = single * SEATS // processes
        wanted = ["--bot", bot, "--sessions", str(sessions)]
        wanted += ["--ca", server.first["ca"]] if tls else []
        address, tokens = server.first["address"], server.first["tokens"]
        if delay_s:
            address = (await start(stack, "delay", address, str(delay_s))).first["address"]
        starting = [start(stack, "bots", address, tokens[name], *wanted) for name in BOTS[:processes]]
        bots = await asyncio.gather(*starting)
        await server.wait_for(lambda counted: counted["sessions"] >= max(1, sessions) * processes)
        yield Site(server, bots, is_single=bool(single))


async def start(stack: AsyncExitStack, kind: str, *arguments: str) -> Child:
    """Start a process of the benchmark, which ends with the stack."""
    child = await Child.start(f"tests.benchmarks.{kind}_process", *arguments)
    stack.push_async_callback(child.end)
    return child


def _span(
    before: tuple[dict[str, Any], list[dict[str, Any]]], after: tuple[dict[str, Any], list[dict[str, Any]]]
) -> Span:
    grown = {key: after[0][key] - before[0][key] for key in before[0]}
    bots = list(zip(before[1], after[1], strict=True))
    count = max(1, grown["decisions"])
    return Span(
        rate=grown["decisions"] / grown["at_s"],
        decisions=grown["decisions"],
        server_us=grown["cpu_s"] / count * 1e6,
        bots_us=sum(late["cpu_s"] - early["cpu_s"] for early, late in bots) / count * 1e6,
        per_frame_in=grown["decisions"] / max(1, grown["frames_in"]),
        per_frame_out=grown["messages"] / max(1, grown["frames_out"]),
        turns_s=[turn for _, late in bots for turn in late["turns_s"]],
        waits_s=[wait for _, late in bots for wait in late["waits_s"]],
        strikes=grown["strikes"],
        troubles=sum(late["troubles"] - early["troubles"] for early, late in bots),
    )
