"""The one gate: what an input has led to leaves only after the input is kept."""

from collections.abc import Callable
from typing import Protocol

from arena.errors import JournalError
from arena.match.ports import Journal
from arena.match.scalars import Instant


class Releasable(Protocol):
    """Something that holds messages back until it is released."""

    def seal(self) -> None:
        """Only what is staged by now may go with the next release."""

    def release(self) -> None:
        """Let what was staged go."""


class Gate:
    """Flushes the journal once a loop pass and then lets everything go that was staged in it.

    While the journal cannot be written the gate is shut: nothing leaves, and nobody should put in more.
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

        `on_fault` is called when the gate is shut, `on_reopened` when a fault is over, before anything leaves.
        """
        self._journal = journal
        self._schedule = schedule
        self._waiting: dict[Releasable, None] = {}
        self._is_scheduled = False
        self.fault: JournalError | None = None
        """Why the gate is shut; None: it is not."""
        self._on_fault = on_fault
        self._on_reopened = on_reopened
        self.released_upto: Instant | None = None
        """Everything that was dealt with up to this instant has left, microseconds; None: as good as everything."""

    def release_after_flush(self, staged: Releasable) -> None:
        """Release this after the next flush."""
        self._waiting[staged] = None
        if not self._is_scheduled:
            self._is_scheduled = True
            self._schedule(self.open)

    def open(self) -> None:
        """Keep the journal's group, then release. Stays shut, with `fault`, when it cannot be kept; may be retried."""
        self._is_scheduled = False
        if self._flush():
            waiting, self._waiting = self._waiting, {}
            self._reopen()
            self._release(waiting)

    def _flush(self) -> bool:
        """Hand the journal's group to the operating system; tells whether that went well."""
        try:
            self._journal.flush()
        except JournalError as fault:
            self._shut(fault)
            return False
        return True

    def _shut(self, fault: JournalError) -> None:
        self.fault = fault
        self._on_fault()

    def _reopen(self) -> None:
        if self.fault is not None:
            self.fault = None
            self._on_reopened()

    def _release(self, waiting: dict[Releasable, None]) -> None:
        for staged in waiting:
            staged.release()
