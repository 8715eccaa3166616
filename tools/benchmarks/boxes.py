"""Measures what boxes cost: the start of a bot, the memory of a box, and decisions over the wire.

Boxed and unboxed bots take turns within a measurement, so that a busy machine slows down both. What is compared is the
median of the ratios of one turn.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import psutil

import cheatarena
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.probes.isolation_check import require_isolation
from arena.errors import IsolationError
from arena.server.rpc.listeners import make_socket_path
from cheatarena.addresses import UNIX_PREFIX
from tools.benchmarks.row import Figure
from tools.benchmarks.site import BOTS, SEATS, Play, Site, Span, start

START_FACTOR: Final = 1.5
START_BESIDE_S: Final = 0.05
"""The goal for a start: this many starts without a box, plus this many seconds."""
MEMORY_GOAL_MB: Final = 3.0
"""The memory that a box may use beside its program."""
RATE_GOAL: Final = 0.9
"""The share of the rate that must be left in boxes."""
_FIRST_LINE: Final = "import cheatarena\nprint('started', flush=True)\nimport time\ntime.sleep(600)\n"
_POLL_S: Final = 0.0005
_MEGABYTE: Final = 1 << 20


class NotPossibleError(Exception):
    """This machine cannot do what was to be measured; the text says why, in one sentence."""


# ---- starts and memory


async def box_starts(count: int) -> list[Figure]:
    """Start a bot without a box and in one, `count` times each. Raises NotPossibleError."""
    _require_boxes()
    return await asyncio.to_thread(_measure_starts, count)


def _measure_starts(count: int) -> list[Figure]:
    plain_s, boxed_s, memory_mb = list[float](), list[float](), list[float]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot").mkdir()
        (folder / "bot" / "bot.py").write_text(_FIRST_LINE)
        program = _find_program(str(folder / "bot"))
        for _ in range(count):
            plain_s.append(_time_start(program, folder / "output"))
            boxed_s.append(_time_start(replace(program, is_boxed=True), folder / "output", memory_mb))
    return [
        Figure("box start", "s", median(boxed_s), START_FACTOR * median(plain_s) + START_BESIDE_S),
        Figure("box start, unboxed", "s", median(plain_s)),
        Figure("box memory", "MB", median(memory_mb), MEMORY_GOAL_MB),
    ]


def _time_start(program: BotProgram, output: Path, memory_mb: list[float] | None = None) -> float:
    """Return the seconds until a bot has imported the SDK and printed a line. Note the memory of its box."""
    with Launcher(output, open_boxes=BubblewrapBackend) as launcher:
        begin = time.perf_counter()
        process = launcher.start(program, address="127.0.0.1:1", token="none", instance="1")
        while process.tail() != ["started"]:
            assert process.exit_code is None, process.tail()
            time.sleep(_POLL_S)
        spent = time.perf_counter() - begin
        if memory_mb is not None:
            memory_mb.append(_memory_of_box(process))
        process.kill()
    return spent


def _memory_of_box(process: BotProcess) -> float:
    """Return the memory of the processes between the launcher and the program, in MB.

    It is their PSS, in which pages that several processes share are divided among them.
    """
    beside = [each for each in psutil.Process(process.pid).parents() if each.name() == "bwrap"]
    assert beside, "the box has no process of its own"
    return float(sum(each.memory_full_info().pss for each in beside) / _MEGABYTE)


# ---- decisions over the wire


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which bots run and reach the server."""

    name: str
    is_boxed: bool = False
    dials_port: bool = False
    """Whether they dial the server's port, as bots without a box do, instead of its Unix socket."""


BOXED: Final = Way("boxed", is_boxed=True)
UNBOXED: Final = Way("unboxed")
OVER_TCP: Final = Way("tcp", dials_port=True)
OTHERS: Final = (UNBOXED, OVER_TCP)
WAYS: Final = (BOXED, *OTHERS)


async def boxed(name: str, bot: str, matches: int, seconds: float, turns: int) -> list[Figure]:
    """Measure the rate with bots in boxes, and compare it with that of the same bots without a box.

    All bots stay connected to one server, and the ways take `turns` turns. Raises NotPossibleError.
    """
    _require_boxes()
    spans: dict[Way, list[Span]] = {way: [] for way in WAYS}
    async with _open_sites(_find_program(bot)) as places:
        for number in range(turns):
            for way in WAYS if number % 2 == 0 else reversed(WAYS):  # who is first is no better off
                spans[way].append(await _watch(places[way], way, matches, seconds))
    first = spans[BOXED]
    remarks = [span.remark for each in spans.values() for span in each if span.remark]
    return [
        Figure(f"{name} rate", "/s", median(span.rate for span in first), None, True, "; ".join(remarks)),
        Figure(f"{name} server", "us", median(span.server_us for span in first)),
        Figure(f"{name} bots", "us", median(span.bots_us for span in first)),
        *(
            Figure(f"{name} rate / {way.name}", "x", _ratio(first, spans[way], _rate), RATE_GOAL, True)
            for way in OTHERS
        ),
        *(Figure(f"{name} CPU / {way.name}", "x", _ratio(first, spans[way], _cpu_us)) for way in OTHERS),
    ]


def _ratio(boxed: Sequence[Span], others: Sequence[Span], value: Callable[[Span], float]) -> float:
    """Return the median of the ratios of a value in each turn."""
    return median(value(one) / max(1e-9, value(other)) for one, other in zip(boxed, others, strict=True))


def _rate(span: Span) -> float:
    return span.rate


def _cpu_us(span: Span) -> float:
    """Return the CPU time for a decision of the server and the bots together. Other programs change it little."""
    return span.server_us + span.bots_us


async def _watch(place: Site, way: Way, matches: int, seconds: float) -> Span:
    """Begin matches of bots that run in one way, measure them after a quarter of the time, and end them."""
    await place.play(matches, Play(), [f"{name}/{way.name}" for name in BOTS for _ in range(SEATS // len(BOTS))])
    await asyncio.sleep(seconds / 4)
    span = await place.watch(seconds)
    await place.server.ask("cancel", after=0)
    return span


@asynccontextmanager
async def _open_sites(program: BotProgram) -> AsyncIterator[dict[Way, Site]]:
    """Start a server and two bots for each way. The sites share the server, and each has its own bots."""
    async with AsyncExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory())
        output = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        socket = stack.enter_context(make_socket_path())
        server = await start(stack, "server", data, "--socket", str(socket))
        launcher = stack.enter_context(_open_launcher(output))
        address, tokens = server.first["address"], server.first["tokens"]
        places, launched = dict[Way, Site](), list[_LaunchedBot]()
        for way in WAYS:
            chosen, dialled = replace(program, is_boxed=way.is_boxed), f"{UNIX_PREFIX}{socket}"
            bots = [
                _LaunchedBot(
                    launcher.start(
                        chosen,
                        address=address if way.dials_port else dialled,
                        token=tokens[name],
                        instance=way.name,
                        name=f"{name}-{way.name}",
                    )
                )
                for name in BOTS
            ]
            places[way] = Site(server, bots, is_single=False)
            launched += bots
        await server.wait_for(lambda counted: _are_there(counted["sessions"], launched))
        yield places


def _are_there(sessions: int, bots: "Sequence[_LaunchedBot]") -> bool:
    """Return whether all bots have connected. Raises ChildProcessError if one of them has ended."""
    for bot in bots:
        bot.check_runs()
    return sessions >= len(bots)


def _open_launcher(output: Path) -> Launcher:
    return Launcher(output, open_boxes=BubblewrapBackend)


class _LaunchedBot:
    """A bot that the launcher has started. Offers what a site asks of its bots."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process

    async def ask(self, command: str) -> dict[str, Any]:
        """Return the counters. Each line that the bot wrote counts as a trouble."""
        assert command == "count", command
        self.check_runs()
        spent = psutil.Process(self._process.pid).cpu_times()
        troubles = len(self._process.tail(1_000))
        return {"turns_s": [], "waits_s": [], "troubles": troubles, "cpu_s": spent.user + spent.system}

    def check_runs(self) -> None:
        """Raise ChildProcessError if the bot has ended."""
        if self._process.exit_code is not None:
            raise ChildProcessError(f"a bot of the benchmark {self._process.describe_end(is_early=True)}")


def _find_program(bot: str) -> BotProgram:
    """Return a program that imports the SDK of this process, which may be another copy than the installed one."""
    program = find_bot(bot)
    assert isinstance(program, BotProgram)
    variables = {"CHEATARENA_LOG": "WARNING", "PYTHONPATH": str(Path(cheatarena.__file__).parent.parent)}
    return replace(program, environment={**program.environment, **variables})


def _require_boxes() -> None:
    """Raise NotPossibleError if boxes do not hold on this machine."""
    try:
        require_isolation(BoxSettings())
    except IsolationError as error:
        raise NotPossibleError(str(error)) from error
