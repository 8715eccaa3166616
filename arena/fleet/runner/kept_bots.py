"""Keeps bots running beside a server: starts them, and starts them again, ever later, if they end."""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, Self

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.errors import ArenaError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.keep_running import STEADY_S, keep_running
from arena.fleet.runner.started_bot import Access, StartedBot, leave_seats, start_process
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import SessionKey
from arena.plurals import format_count
from cheatarena.tls_settings import TlsSettings

_ENDED_KEPT: Final = 3
"""How many processes that have ended are in the log, with their last lines."""
_MOST_LINES: Final = 1_000
_ENDED_CHARACTERS: Final = 4_096
_RUNNING_CHARACTERS: Final = 16_384
"""How much of the output of a process is in the log. Logs are stored every few seconds, beside the results of games."""
_TROUBLE_ENDS: Final = 3
"""A bot is in trouble if this many of its processes in a row ended soon after they started."""
WATCH_INTERVAL_S: Final = 0.5
LONG_WAIT_S: Final = Pace.sealed_defaults().reconnect_grace_ms / 1000
"""A bot whose next start is at least this many seconds away gives up its seats: no match waits longer for it."""
KEPT_OUTPUTS: Final = 10
"""How many outputs of ended processes of a bot are kept. A bot that crashes for weeks must not fill the disk."""


async def _goes_on() -> bool:
    """Return False: the bot is kept until it is dropped."""
    return False


class KeptRecord:
    """The record of one bot. Its texts are safe for terminals."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """`clock` returns seconds since 1970."""
        self._clock = clock
        self._process: BotProcess | None = None
        self._started_at = 0.0
        self._ended: tuple[str, ...] = ()
        """What is known of the last processes that ended, the oldest first."""
        self._end_count = 0
        self._quick_end_count = 0
        """How many of the last processes ended soon after their start, one after the other."""
        self._last_end = ""

    def note_start(self, process: BotProcess) -> None:
        self._process, self._started_at = process, self._clock()

    def note_failure(self, reason: str) -> None:
        self._note_end(f"did not start: {reason}")
        self._keep(f"--- {_format_time(self._clock())} {self._last_end}")

    def note_end(self, how: str) -> None:
        """Note how the process ended, such as "ended with exit code 1", once all its output has been read."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._clock() - self._started_at >= STEADY_S:
            self._quick_end_count = 0
        self._note_end(how)
        self._keep(f"{self._describe_process(process, _ENDED_CHARACTERS)}\n--- {_format_time(self._clock())} {how}")

    def _keep(self, text: str) -> None:
        """The tuple is replaced, because another thread may read it."""
        self._ended = (*self._ended, text)[-_ENDED_KEPT:]

    def _note_end(self, how: str) -> None:
        self._end_count += 1
        self._quick_end_count += 1
        self._last_end = how

    @property
    def state(self) -> object:
        """A value that differs if the texts differ."""
        written = None if self._process is None else self._process.output_byte_count
        return self._end_count, self._started_at, written, self.describe_trouble()

    def describe(self) -> str:
        """Return a sentence; an empty text if the bot has not started yet."""
        if not self._end_count:
            return "it runs" if self._process is not None else ""
        return f"it ended {format_count(self._end_count, 'time')}, and last it {self._last_end}"

    def describe_trouble(self) -> str:
        """Return a sentence if the bot ends again and again; otherwise an empty text."""
        is_steady = self._process is not None and self._clock() - self._started_at >= STEADY_S
        if is_steady or self._quick_end_count < _TROUBLE_ENDS:
            return ""
        times = format_count(self._quick_end_count, "time")
        return f"it does not keep running: it ended {times} in a row, and last it {self._last_end}"

    def read_log(self) -> str:
        """Return the last lines of the running process and of those before it, the newest at the end."""
        process = self._process
        running = [] if process is None else [self._describe_process(process, _RUNNING_CHARACTERS)]
        return "\n".join([*self._ended, *running])

    def _describe_process(self, process: BotProcess, most: int) -> str:
        """Say when a process started, and give up to `most` of the last characters that it wrote."""
        return f"--- {_format_time(self._started_at)} started\n" + "\n".join(process.tail(_MOST_LINES))[-most:]


def _format_time(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))


@dataclass(frozen=True, slots=True)
class KeptBot:
    entrant: BotEntrant
    address: str
    instance: str
    """The same for each process of the bot, so that a new process takes over the seats of the one before it."""
    make_token: Callable[[], Awaitable[str]]
    """Returns a token for the next process."""
    is_over: Callable[[], Awaitable[bool]] = _goes_on
    """Returns whether the bot has done its work: then its process ends in good order, and none follows."""
    record: KeptRecord = field(default_factory=KeptRecord, compare=False)

    @property
    def key(self) -> SessionKey:
        """No two bots share it."""
        return self.entrant.name, self.instance


class KeptBots:
    """Bots that are kept running, as an asynchronous context manager that ends them.

    Enter it before the server starts, and leave it after the server has stopped, so that the last matches keep their
    bots.
    """

    def __init__(self, launcher: Launcher) -> None:
        """`launcher` is closed on exit."""
        self.launcher = launcher
        self._tasks: dict[SessionKey, asyncio.Task[NoReturn]] = {}
        self._keeping_seats = set[SessionKey]()
        """The bots that end without a goodbye."""
        self._access: dict[SessionKey, Access] = {}
        """How the newest process of each bot gets to its seats."""
        self.processes: dict[SessionKey, BotProcess] = {}
        """The processes that run, by name and instance."""
        self._outputs = defaultdict[str, deque[Path]](deque)
        """The outputs of ended processes by name of the bot, the oldest first."""

    def keep(self, bot: KeptBot) -> None:
        """No two bots have the same name and instance."""
        self._tasks[bot.key] = asyncio.create_task(
            keep_running(bot.entrant.name, partial(self._run_once, bot), partial(self._on_wait, bot))
        )

    async def drop(self, bot: KeptBot, *, keeps_seats: bool = False) -> None:
        """End a bot and start it no more. Do nothing if it is not kept. It leaves its seats, even if it was killed.

        With `keeps_seats`, it cannot say goodbye to the server, and another process of it may take the seats over.
        """
        if keeps_seats:
            self._keeping_seats.add(bot.key)
        if (task := self._tasks.pop(bot.key, None)) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if not keeps_seats:
            await self._leave_seats(bot)
        self._keeping_seats.discard(bot.key)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._keeping_seats.update(self._tasks)  # a server that goes on, or the next one, continues their games
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await asyncio.to_thread(self.launcher.close)

    async def _run_once(self, bot: KeptBot) -> str:
        """Return how the bot ended, or why it could not be started."""
        entrant = bot.entrant
        assert isinstance(entrant.program, BotProgram), "a remote bot is started elsewhere"
        try:
            await asyncio.to_thread(self.launcher.build, entrant.program)
            access = self._access[bot.key] = Access(bot.address, await bot.make_token(), bot.instance)
            started = StartedBot.of(entrant, await self._start(entrant, access), access)
        except ArenaError as error:
            bot.record.note_failure(str(error))
            return str(error)
        assert started.process is not None
        bot.record.note_start(started.process)
        self.processes[bot.key] = started.process
        found = None
        try:
            while (found := started.find_exit()) is None:  # noqa: ASYNC110  a process has no event
                await asyncio.sleep(WATCH_INTERVAL_S)
        finally:
            process = self.processes.pop(bot.key)
            await asyncio.to_thread(process.kill if bot.key in self._keeping_seats else process.end)
            bot.record.note_end("was ended by the arena" if found is None else found.how)
            self._discard_outputs(entrant.name, started.process.output_path)
        if await bot.is_over():
            await asyncio.Future()  # until it is dropped
        return str(found)

    async def _on_wait(self, bot: KeptBot, wait_s: float) -> None:
        """Give up the seats of a bot that will not be back in time."""
        if wait_s >= LONG_WAIT_S:
            await self._leave_seats(bot)

    async def _leave_seats(self, bot: KeptBot) -> None:
        if (access := self._access.pop(bot.key, None)) is not None:
            await leave_seats(access, TlsSettings())

    async def _start(self, entrant: BotEntrant, access: Access) -> BotProcess:
        """Start a process. If the bot is dropped meanwhile, end the process, which the cancelled call cannot return."""
        starting = asyncio.ensure_future(start_process(self.launcher, entrant, access))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with suppress(ArenaError):
                await asyncio.to_thread((await starting).end)
            raise

    def _discard_outputs(self, name: str, newest: Path) -> None:
        outputs = self._outputs[name]
        outputs.append(newest)
        while len(outputs) > KEPT_OUTPUTS:
            with suppress(OSError):
                outputs.popleft().unlink()
