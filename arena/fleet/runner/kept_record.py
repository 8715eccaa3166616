"""What is known of the processes of a bot that is kept running: their output, and how often they ended."""

import time
from collections.abc import Callable
from typing import Final

from arena.bots.launch.process import BotProcess
from arena.fleet.runner.restarts import STEADY_S
from arena.plurals import format_count

_ENDED_KEPT: Final = 3
"""How many processes that have ended are in the log, with their last lines."""
_MOST_LINES: Final = 1_000
_ENDED_CHARACTERS: Final = 4_096
_RUNNING_CHARACTERS: Final = 16_384
"""How much of the output of a process is in the log. Logs are stored every few seconds, beside the results of games."""
_TROUBLE_ENDS: Final = 3
"""A bot is in trouble if this many of its processes in a row ended soon after they started."""


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
        """Note that a process has started."""
        self._process, self._started_at = process, self._clock()

    def note_failure(self, reason: str) -> None:
        """Note that no process could be started."""
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
        """Keep what is known of an ended process. The tuple is replaced, because another thread may read it."""
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
        """Return how the bot is doing, as a sentence; empty if it has not started yet."""
        if not self._end_count:
            return "it runs" if self._process is not None else ""
        return f"it ended {format_count(self._end_count, 'time')}, and last it {self._last_end}"

    def describe_trouble(self) -> str:
        """Return what is wrong, as a sentence, if the bot ends again and again; otherwise an empty text."""
        is_steady = self._process is not None and self._clock() - self._started_at >= STEADY_S
        if is_steady or self._quick_end_count < _TROUBLE_ENDS:
            return ""
        times = format_count(self._quick_end_count, "time")
        return f"it does not keep running: it ended {times} in a row, and last it {self._last_end}"

    def read_log(self) -> str:
        """Return the last lines of the process that runs, and of those before it, the newest at the end."""
        process = self._process
        running = [] if process is None else [self._describe_process(process, _RUNNING_CHARACTERS)]
        return "\n".join([*self._ended, *running])

    def _describe_process(self, process: BotProcess, most: int) -> str:
        """Return a line that says when a process started, and up to `most` of the last characters that it wrote."""
        return f"--- {_format_time(self._started_at)} started\n" + "\n".join(process.tail(_MOST_LINES))[-most:]


def _format_time(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
