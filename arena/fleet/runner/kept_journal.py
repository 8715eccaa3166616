"""The journal of a node that works in a folder of its own: its groups go over the line, into a file of the runner.

The line keeps the order, so the runner has a group before whatever follows from it. The file is that of any node, so
recovery, replays and audits know no difference.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from arena.errors import JournalError, StoreError
from arena.log_lines import get_logger
from arena.server.store.journal_file import JournalFile

log = get_logger(__name__)


class JournalKeeper(Protocol):
    def keep_group(self, records: tuple[bytes, ...]) -> None:
        """The next group of the node's journal."""


class SentJournal:
    """The node's end. Implements the `Journal` port."""

    def __init__(self, keeper: JournalKeeper) -> None:
        self._keeper = keeper
        self._records: list[bytes] = []

    def append(self, record: bytes) -> None:
        self._records.append(record)

    def flush(self) -> None:
        if self._records:
            self._keeper.keep_group(tuple(self._records))
            self._records = []


class KeptJournal:
    """The runner's end. Implements `JournalKeeper`.

    The groups that come together are one group of the file. While the disk is full, groups wait in memory. Results wait
    too, so a node has at most its running tables ahead.
    """

    def __init__(self, path: Path) -> None:
        """Raises JournalError if the file exists or cannot be created."""
        self._file = JournalFile(path)
        self._is_due = False

    def keep_group(self, records: Sequence[bytes]) -> None:
        for record in records:
            self._file.append(record)
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_due = False
        try:
            self._file.flush()
        except JournalError as error:
            log.warning("the journal of a node cannot be written, its results wait", fault=str(error))

    def require_written(self) -> None:
        """Raise StoreError unless every group so far is in the file."""
        try:
            self._file.flush()
        except JournalError as error:
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """What cannot be written by now is lost. No result follows from it."""
        with suppress(JournalError):
            self._file.close()
