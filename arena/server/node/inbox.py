"""Queues frames as they are read and handles them in order of arrival, in short turns.

    sessions' readers ── frames, stamped ──▶ Inbox ── parts of frames ──▶ sessions ──▶ tables

Between two turns the loop reads until no frame has arrived for some passes; a stream needs two passes for a frame. So
frames are stamped close to their arrival under any load, and the results of a frame's first parts are sent before its
last parts are handled. A deadline takes effect only after everything that arrived before it has been handled.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from arena.match.referee.scalars import Instant

TURN_BUDGET_US = 1_500
"""The length of a turn, after which the loop runs. Longer turns produce fuller frames and later stamps."""
QUIET_PASSES = 8
"""The passes without a frame after which the next turn begins; an empty pass takes 20 microseconds."""
MAX_LISTEN_US = 2_000
"""The longest time until the next turn begins if frames keep arriving."""


class _QueuedFrame(NamedTuple):
    at: Instant
    parts: Iterator[None]
    failed: Callable[[Exception], None]


def _single_step(act: Callable[[], object]) -> Iterator[None]:
    act()
    yield


class Inbox:
    """Keeps the input of one node in order.

    Input that is judged by its time either passes through the inbox or is applied right after a `drain`.
    """

    def __init__(
        self,
        clock: Callable[[], Instant],
        schedule: Callable[[Callable[[], None]], object],
        begin_turn: Callable[[], None],
        end_turn: Callable[[int], None],
    ) -> None:
        """`clock` returns microseconds. `schedule` runs a function in the next pass.

        `begin_turn` runs before each turn. `end_turn` runs after it, and gets the microseconds that the turn took.
        """
        self._clock = clock
        self._schedule = schedule
        self._begin_turn = begin_turn
        self._end_turn = end_turn
        self._frames: deque[_QueuedFrame] = deque()
        self._is_scheduled = False
        self._quiet_passes = 0
        self._listen_until = 0
        self.is_shut = False
        """Whether handling is paused because the journal cannot be written."""

    @property
    def oldest_stamp(self) -> Instant | None:
        """The stamp of the next frame; None if none waits."""
        return self._frames[0].at if self._frames else None

    def put_frame(self, at: Instant, parts: Iterator[None], failed: Callable[[Exception], None]) -> None:
        """Queue a frame that arrived at `at`; `parts` handles it step by step.

        If no turn is scheduled, a turn runs immediately. An exception drops the rest of the frame and is passed to
        `failed`.
        """
        self._frames.append(_QueuedFrame(at, parts, failed))
        self._quiet_passes = 0
        if not self._is_scheduled:
            self._run_turn()

    def put_action(self, at: Instant, act: Callable[[], object], failed: Callable[[Exception], None]) -> None:
        """Queue an action that happened at `at`, behind the frames that are queued already."""
        self.put_frame(at, _single_step(act), failed)

    def drain(self) -> None:
        while self._frames and not self.is_shut:
            self._process_until(None)

    def reopen(self) -> None:
        """Resume handling: the journal can be written again."""
        self.is_shut = False
        self._schedule_turn()

    def _run_turn(self) -> None:
        try:
            if not self.is_shut:
                began = self._clock()
                self._begin_turn()
                try:
                    self._process_until(Instant(began + TURN_BUDGET_US))
                finally:
                    self._end_turn(self._clock() - began)
        finally:  # otherwise a failure in `end_turn`, which sends messages, would end all further turns
            self._is_scheduled = False
            self._schedule_turn()

    def _schedule_turn(self) -> None:
        if self._frames and not self._is_scheduled and not self.is_shut:
            self._is_scheduled = True
            self._listen_until = self._clock() + MAX_LISTEN_US
            self._quiet_passes = 0
            self._schedule(self._wait_for_quiet)

    def _wait_for_quiet(self) -> None:
        """Let the loop read until it is quiet, then run a turn."""
        self._quiet_passes += 1
        if self._quiet_passes < QUIET_PASSES and self._clock() < self._listen_until:
            self._schedule(self._wait_for_quiet)
        else:
            self._run_turn()

    def _process_until(self, until: Instant | None) -> None:
        """Handle parts until the instant `until`; if it is None, until the oldest frame is finished."""
        while self._frames:
            frame = self._frames[0]
            try:
                for _ in frame.parts:
                    if until is not None and self._clock() >= until:
                        return
            except Exception as error:  # noqa: BLE001  a failure concerns its own session only
                frame.failed(error)
            self._frames.popleft()
            if until is None or self._clock() >= until:
                return
