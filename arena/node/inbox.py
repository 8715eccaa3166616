"""Frames that have been read and wait to be dealt with: in the order in which they came, a little at a time.

    sessions' readers ── frames, stamped ──▶ Inbox ── parts of frames ──▶ sessions ──▶ tables

Between two turns of dealing the loop reads on, until nothing comes for some passes; a stream gives a frame in two. So a
frame is stamped near its arrival however much there is to do, what the first parts lead to is on its way while the rest
is dealt with, and a deadline waits for everything that came before it.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from arena.match.scalars import Instant

TURN_BUDGET_US = 1_500
"""So long parts are dealt with until the loop gets a turn. Longer turns make fuller frames and later stamps."""
QUIET_PASSES = 8
"""After so many passes without a frame the next turn begins; an empty one takes 20 microseconds."""
MAX_LISTEN_US = 2_000
"""Or after so long."""


class _QueuedFrame(NamedTuple):
    at: Instant
    parts: Iterator[None]
    failed: Callable[[Exception], None]


def _single_step(act: Callable[[], object]) -> Iterator[None]:
    act()
    yield


class Inbox:
    """Of one node. Everything that is judged by its time has to come through here, or after `drain`."""

    def __init__(
        self,
        clock: Callable[[], Instant],
        schedule: Callable[[Callable[[], None]], object],
        after: Callable[[], None],
    ) -> None:
        """`clock` gives microseconds, `schedule` runs something in the next loop pass, `after` is told of each turn."""
        self._clock = clock
        self._schedule = schedule
        self._after = after
        self._frames: deque[_QueuedFrame] = deque()
        self._is_scheduled = False
        """A turn comes by itself."""
        self._quiet_passes = 0
        self._listen_until = 0
        self.is_shut = False
        """Nothing is dealt with while the journal cannot be written."""

    @property
    def oldest_stamp(self) -> Instant | None:
        """The stamp of what is dealt with next; None: nothing waits."""
        return self._frames[0].at if self._frames else None

    def put_frame(self, at: Instant, parts: Iterator[None], failed: Callable[[Exception], None]) -> None:
        """Deal with a frame that arrived at `at`, at once where nothing waits; each step of `parts` is a part of it.

        `failed` is told of a fault in it, and the rest of it is dropped.
        """
        self._frames.append(_QueuedFrame(at, parts, failed))
        self._quiet_passes = 0
        if not self._is_scheduled:
            self._run_turn()

    def put_action(self, at: Instant, act: Callable[[], object], failed: Callable[[Exception], None]) -> None:
        """Do something else that happened at `at`, in its turn among the frames."""
        self.put_frame(at, _single_step(act), failed)

    def drain(self) -> None:
        """Deal with everything that waits."""
        while self._frames and not self.is_shut:
            self._process_until(None)

    def reopen(self) -> None:
        """The journal can be written again."""
        self.is_shut = False
        self._schedule_turn()

    def _run_turn(self) -> None:
        if not self.is_shut:
            self._process_until(Instant(self._clock() + TURN_BUDGET_US))
            self._after()
        self._is_scheduled = False
        self._schedule_turn()

    def _schedule_turn(self) -> None:
        if self._frames and not self._is_scheduled and not self.is_shut:
            self._is_scheduled = True
            self._listen_until = self._clock() + MAX_LISTEN_US
            self._quiet_passes = 0
            self._schedule(self._wait_for_quiet)

    def _wait_for_quiet(self) -> None:
        """Let the loop read what has arrived."""
        self._quiet_passes += 1
        if self._quiet_passes < QUIET_PASSES and self._clock() < self._listen_until:
            self._schedule(self._wait_for_quiet)
        else:
            self._run_turn()

    def _process_until(self, until: Instant | None) -> None:
        """Deal with parts until it is so late; None: until the oldest frame is done."""
        while self._frames:
            frame = self._frames[0]
            try:
                for _ in frame.parts:
                    if until is not None and self._clock() >= until:
                        return
            except Exception as fault:  # noqa: BLE001  it is its session's, and nobody else's
                frame.failed(fault)
            self._frames.popleft()
            if until is None or self._clock() >= until:
                return
