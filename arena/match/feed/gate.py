"""The gate that releases messages only after the journal has written the inputs that caused them."""

from collections.abc import Callable
from typing import Protocol

from arena.errors import JournalError
from arena.match.referee.ports import Journal
from arena.match.referee.scalars import Instant


class Releasable(Protocol):
    """Something that holds messages back until it is released."""

    def seal(self) -> None:
        """Limit the next release to the messages staged so far."""

    def release(self) -> None: ...


class Gate:
    """Flushes the journal once per loop pass, then releases everything that was staged in the pass.

    Messages that were staged in a short turn of the inbox are released at the end of that turn, in the same loop pass.

    The gate is shut while the journal cannot be written. Then no message is released, and no input should be accepted.
    """

    def __init__(
        self,
        journal: Journal,
        schedule: Callable[[Callable[[], None]], object],
        *,
        on_fault: Callable[[], None] = lambda: None,
        on_reopened: Callable[[], None] = lambda: None,
    ) -> None:
        """`schedule` runs a function at the end of the running loop pass.

        `on_fault` is called when the gate shuts. `on_reopened` is called when it reopens, before any message is
        released.
        """
        self._journal = journal
        self._schedule = schedule
        self._waiting: dict[Releasable, None] = {}
        self._is_scheduled = False
        self._is_in_turn = False
        self.fault: JournalError | None = None
        """Why the gate is shut; None while it works."""
        self._on_fault = on_fault
        self._on_reopened = on_reopened
        self.released_upto: Instant | None = None
        """While a sync holds messages back: messages of inputs up to this instant are released. Otherwise None."""

    def release_after_flush(self, staged: Releasable) -> None:
        self._waiting[staged] = None
        if not self._is_in_turn:
            self._schedule_opening()

    def begin_turn(self) -> None:
        """Begin a turn of the inbox. What is staged in the turn waits for `end_turn`."""
        self._is_in_turn = True

    def end_turn(self, *, is_short: bool) -> None:
        """End a turn. If it was short, open at once; if not, at the end of the loop pass."""
        self._is_in_turn = False
        if not self._waiting:
            return
        if is_short and not self._is_scheduled:
            self.open()
        else:
            self._schedule_opening()

    def _schedule_opening(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            self._schedule(self.open)

    def open(self) -> None:
        """Write the journal's group, then release. If the write fails, shut the gate; call again to retry."""
        self._is_scheduled = False
        if self._flush():
            waiting, self._waiting = self._waiting, {}
            self._reopen()
            self._release(waiting)

    def _flush(self) -> bool:
        """Hand the journal's group to the operating system; return whether that succeeded."""
        try:
            self._journal.flush()
        except JournalError as error:
            self._shut(error)
            return False
        return True

    def _shut(self, error: JournalError) -> None:
        self.fault = error
        self._on_fault()

    def _reopen(self) -> None:
        if self.fault is not None:
            self.fault = None
            self._on_reopened()

    def _release(self, waiting: dict[Releasable, None]) -> None:
        for staged in waiting:
            staged.release()
