"""Runs a server and its bots in processes of their own, and measures what they do in a span of time."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from arena.bots.launch.programs import BotProgram
from tools.benchmarks.child import Child
from tools.benchmarks.program_bot import ProgramBot
from tools.benchmarks.row import quantile

SEATS = 4
BOTS = ("one", "two")


@dataclass(frozen=True, slots=True)
class Play:
    """The game that is played, with its rules and pace."""

    preset: str = "standard"
    game: str = "cheat"
    options: Mapping[str, object] | None = None
    """Options that differ from the preset."""
    pace: Mapping[str, object] | None = None
    """Time limits that differ from the benchmark's pace. That pace is too long for automatic moves."""


@dataclass(frozen=True, slots=True)
class Span:
    """What happened in a span of time."""

    rate: float
    """Decisions (answered prompts) per second in all matches together."""
    decisions: int
    server_us: float
    """Microseconds of CPU time per decision in the server's process, including the threads of gRPC."""
    bots_us: float
    """Microseconds of CPU time per decision in all processes of bots together."""
    messages: float
    """Messages per decision that the server wrote."""
    per_frame_in: float
    """Decisions per frame that the server read."""
    per_frame_out: float
    """Messages per frame that the server wrote."""
    turns_s: Sequence[float]
    """Times from one play to the next, as the bot of entrant 0 sees them."""
    waits_s: Sequence[float]
    """Times from the last answer of a process to its next question, if its bots measure them."""
    strikes: int
    troubles: int
    """Number of warnings of the SDK: missing messages, lost streams and refused answers."""

    @property
    def remark(self) -> str:
        """What went wrong; empty if nothing did."""
        words = [
            f"{number} {word}" for number, word in ((self.strikes, "strikes"), (self.troubles, "troubles")) if number
        ]
        return ", ".join(words)

    @property
    def message_us(self) -> float:
        """Microseconds of CPU time per message in the server's process."""
        return self.server_us / self.messages if self.messages else 0.0

    def turn_ms(self, part: float) -> float:
        """Return a quantile of the turns in milliseconds; `part` is 0 to 1."""
        return quantile(self.turns_s, part) * 1e3


class CountedBot(Protocol):
    """A process of bots whose counters can be read."""

    async def ask(self, command: str) -> dict[str, Any]:
        """Return the counters, for the command `count`."""


class Site:
    """A running server and its bots."""

    def __init__(self, server: Child, bots: Sequence[CountedBot], *, is_single: bool) -> None:
        self.server = server
        self.bots = bots
        self.tokens: Mapping[str, str] = server.first["tokens"]
        self.address: str = server.first["address"]
        self._is_single = is_single

    async def play(self, count: int, play: Play, names: Sequence[str] = ()) -> list[float]:
        """Begin `count` matches, by default of all bots. Return the instant at which each was requested."""
        matches = [list(names) or self._entrants(index) for index in range(count)]
        asked = {"game": play.game, "preset": play.preset, "options": dict(play.options or {})}
        made = await self.server.ask("create", matches=matches, pace=dict(play.pace or {}), **asked)
        made_s: list[float] = made["made_s"]
        return made_s

    async def watch(self, seconds: float, upto: int | None = None) -> Span:
        """Return what happens in the next `seconds`. If `upto` is given, count only the first `upto` matches."""
        counted = {} if upto is None else {"upto": upto}
        before = await self.server.ask("count", **counted), await self._ask_bots()
        await asyncio.sleep(seconds)
        after = await self.server.ask("count", **counted), await self._ask_bots()
        return _span(before, after)

    async def _ask_bots(self) -> list[dict[str, Any]]:
        return [await each.ask("count") for each in self.bots]

    def _entrants(self, match: int) -> list[str]:
        """Return the entrants of a match. If each seat has its own session, no two matches share a session."""
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
    program: BotProgram | None = None,
) -> AsyncIterator[Site]:
    """Start a server and its bots, and wait until they are connected.

    If `single` is not 0, each seat of this many matches gets a session and a stream of its own. `keeps_records` says
    whether finished games are stored. `delay_s` is the one-way delay between the bots and the server. If `program` is
    given, the bots are processes of this program, and `bot` is not used.
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
        bots: list[CountedBot] = []
        for name in BOTS[:processes]:
            if program is not None:
                bots.append(await _start_program(stack, program, address, tokens[name]))
            else:
                bots.append(await start(stack, "bots", address, tokens[name], *wanted))
        await server.wait_for(lambda counted: counted["sessions"] >= max(1, sessions) * processes)
        yield Site(server, bots, is_single=bool(single))


async def start(stack: AsyncExitStack, kind: str, *arguments: str) -> Child:
    """Start a process of the benchmark, which ends with the stack."""
    child = await Child.start(f"tools.benchmarks.{kind}_process", *arguments)
    stack.push_async_callback(child.end)
    return child


async def _start_program(stack: AsyncExitStack, program: BotProgram, address: str, token: str) -> ProgramBot:
    """Start a bot that is a program of its own. The bot ends with the stack."""
    bot = await ProgramBot.start(program, address, token)
    stack.push_async_callback(bot.end)
    return bot


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
        messages=grown["messages"] / count,
        per_frame_in=grown["decisions"] / max(1, grown["frames_in"]),
        per_frame_out=grown["messages"] / max(1, grown["frames_out"]),
        turns_s=[turn for _, late in bots for turn in late["turns_s"]],
        waits_s=[wait for _, late in bots for wait in late["waits_s"]],
        strikes=grown["strikes"],
        troubles=sum(late["troubles"] - early["troubles"] for early, late in bots),
    )
