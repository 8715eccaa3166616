"""Watches how long a bot takes for its answers. Logs each late answer, and shows where a bot is stuck.

A method that does not return blocks its process, so nothing in the same thread could report it. A thread looks at the
running method a few times a second, and writes the method's stack to the log at the deadline. While no questions come,
this thread sleeps. Each decision costs little: one reference is stored and cleared, and the clock is read once.
"""

import logging
import sys
import threading
import traceback
from asyncio import CancelledError
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final, Protocol, cast

from cheatarena.clock import ServerClock
from cheatarena.prompts import Question

if TYPE_CHECKING:
    from cheatarena.match_table import MatchTable

logger = logging.getLogger("cheatarena.bot")

TICK_S: Final = 0.25
"""Seconds between two looks at the running method."""
IDLE_TICKS: Final = 8
"""After this many looks at which no method ran, the thread sleeps."""
MARGIN_S: Final = 0.001
"""Seconds after a deadline at which the running method is looked at."""
SLOW_S: Final = 0.01
"""The deadline of an answer is checked only if the answer took longer than this."""
MAX_FRAMES: Final = 30
"""How many of the innermost frames of a stack are shown."""

_PACKAGE: Final = str(Path(__file__).parent)
_INVOKER: Final = str(Path(__file__).with_name("bot_invoker.py"))


class ClockHolder(Protocol):
    """Has the clock of the server."""

    clock: ServerClock


class AnswerWatch:
    """Watches the bots of one event loop. It must be made in the thread of the loop."""

    def __init__(self, runtime: ClockHolder, *, has_thread: bool = True) -> None:
        """Without a thread, late answers are reported, but no stacks."""
        self.running: MatchTable | None = None
        """The table whose question is being put to its bot. Set it before the method is called, and clear it after."""
        self.is_asleep = has_thread
        """Whether `wake` must be called after `running` has been set."""
        self._runtime = runtime
        self._awaited: dict[Question, tuple[MatchTable, float]] = {}
        """The questions whose asynchronous methods run now, each with its table and the time at which it was put."""
        self._reported: Question | None = None
        self._loop_thread = threading.get_ident()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Wake the thread. The first call starts it."""
        self.is_asleep = False
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="cheatarena answer watch", daemon=True)
            self._thread.start()
        self._wake.set()

    def check_lateness(self, question: Question, table: "MatchTable", asked_s: float, how: str = "") -> None:
        """Log a line if the deadline of a question is over. `asked_s` is when it was put, in seconds (monotonic).

        `how` follows the times in the line.
        """
        now = monotonic()
        if self._is_overdue(question, now):
            pace = table.pace
            took_s, allowed_s = now - asked_s, pace.call_s if question.kind.is_reaction else pace.turn_s
            late = f"{question.kind.method}() took {describe_seconds(took_s)} of {describe_seconds(allowed_s)}"
            if took_s < allowed_s and (queued_s := asked_s - question.arrival_s) > SLOW_S:
                late += f", and the question had waited {describe_seconds(queued_s)} in this process"
            table.log.error("%s%s", late, how)

    def begin_awaiting(self, question: Question, table: "MatchTable") -> None:
        """Note that the coroutine of a question runs from now on."""
        self._awaited[question] = table, monotonic()
        if self.is_asleep:
            self.wake()

    def end_awaiting(self, question: Question) -> None:
        """Note that the coroutine of a question is done, or is being cancelled. Log a line if it was too late."""
        table, asked_s = self._awaited.pop(question)
        error = sys.exception()
        where = ""
        if isinstance(error, CancelledError) and (frames := _bot_frames(traceback.extract_tb(error.__traceback__))):
            where = f", and was stopped {_describe_place(frames)}"
        self.check_lateness(question, table, asked_s, where)

    def _is_overdue(self, question: Question, now: float) -> bool:
        deadline_us = question.deadline_us
        return bool(deadline_us) and now > self._runtime.clock.local_s(deadline_us)

    # ---- the thread

    def _watch(self) -> None:
        """Look at the running method every now and then. Sleep while none runs."""
        idle_count = 0
        while True:
            sleep(self._pause_s())
            self._look()
            idle_count = 0 if self.running is not None or self._awaited else idle_count + 1
            if idle_count == IDLE_TICKS:
                self._wake.clear()
                self.is_asleep = True
                if self.running is None and not self._awaited:  # otherwise a question came before the flag was set
                    self._wake.wait()
                self.is_asleep = False
                idle_count = 0

    def _pause_s(self) -> float:
        """Return the time until the next look: `TICK_S`, or less if the running method is due before that."""
        question = self._running_question()
        if question is None or question is self._reported or not (deadline_us := question.deadline_us):
            return TICK_S
        return min(TICK_S, max(0.0, self._runtime.clock.local_s(deadline_us) - monotonic()) + MARGIN_S)

    def _running_question(self) -> Question | None:
        table = self.running
        return None if table is None else cast("Question", table.question)

    def _look(self) -> None:
        """Log the stack of the loop's thread if it is in a method whose deadline is over, once for each question."""
        table, question = self.running, self._running_question()
        if table is not None and question is not None:
            self._report_stuck(question, table)
            return
        for awaited, (of_table, _) in self._awaited.copy().items():
            self._report_stuck(awaited, of_table)

    def _report_stuck(self, question: Question, table: "MatchTable") -> None:
        if question is self._reported or not self._is_overdue(question, monotonic()):
            return
        frames = self._find_bot_frames()
        if frames:
            self._reported = question
            _log_stack(question, table.match, frames)

    def _find_bot_frames(self) -> Sequence[traceback.FrameSummary]:
        """Return the frames of the bot's code in the loop's thread, outermost first; empty if it runs none."""
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001  the only way to see another thread
        return _bot_frames(traceback.extract_stack(frame)) if frame is not None else ()


def _bot_frames(stack: Sequence[traceback.FrameSummary]) -> Sequence[traceback.FrameSummary]:
    """Return the frames of a stack from the bot's method on, outermost first; empty if there are none."""
    callers = [index for index, each in enumerate(stack) if each.filename == _INVOKER]
    inner = stack[callers[-1] + 1 :] if callers else ()
    first = next((index for index, each in enumerate(inner) if not each.filename.startswith(_PACKAGE)), len(inner))
    return inner[first:][-MAX_FRAMES:]


def _log_stack(question: Question, match: int, frames: Sequence[traceback.FrameSummary]) -> None:
    """Log where a method is: its place in the line, and the stack below."""
    stack = "".join(traceback.format_list(list(frames))).rstrip()
    line = f"match {match}: {question.kind.method}() has not returned at its deadline; it is {_describe_place(frames)}"
    logger.error("%s (prompt %d)\n%s", line, question.id, stack)


def _describe_place(frames: Sequence[traceback.FrameSummary]) -> str:
    """Return the innermost place in the file of the outermost frame."""
    own = [each for each in frames if each.filename == frames[0].filename][-1]
    return f"at {Path(own.filename).name}:{own.lineno}, in {own.name}()"


def describe_seconds(seconds: float) -> str:
    """Return a time in seconds, or in milliseconds if it is short.

    >>> describe_seconds(5.04), describe_seconds(0.25)
    ('5.0 s', '250 ms')
    """
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
