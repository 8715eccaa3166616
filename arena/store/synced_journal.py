"""A journal whose records survive a power cut: what was flushed is brought to the disk before anybody is told.

After a sync that failed nobody knows what the disk has. Linux reports such a fault once, forgets which pages it
concerned and calls the next sync a success, so a sync is never merely repeated ("fsyncgate", 2018, for which PostgreSQL
gave up its own retries). What was written since the last sync that ended well is cut off and written anew, which makes
all of it wait for the disk again; what that sync covered lies on the disk and stays as it is.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.errors import JournalError
from arena.store.journal_file import JournalFile


def sync_file(file: int) -> None:
    """Return when the disk has all that was written to an open file. Raises OSError."""
    if sys.platform == "darwin":
        from fcntl import F_FULLFSYNC, fcntl  # noqa: PLC0415  nobody else has it

        fcntl(file, F_FULLFSYNC)  # an fsync would end in the memory of the disk itself
    elif sys.platform == "linux":
        os.fdatasync(file)
    else:
        os.fsync(file)


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where a folder can be opened for that."""
    if sys.platform != "win32":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class SyncedJournalFile(JournalFile):
    """Implements the `SyncedJournalFile` port. `flush` and `close` belong to the loop and wait for no sync that runs.

    Raises JournalError when the file exists already or cannot be made.
    """

    def __init__(self, path: Path, sync: Callable[[int], None] = sync_file) -> None:
        """`sync` brings an open file to the disk, or raises OSError."""
        super().__init__(path)
        self._sync_file = sync
        self._unsynced: list[bytes] = []
        self._synced_chain, self._synced_size = self._chain, self._whole_size
        self._is_synced = self._is_doubtful = False
        """How the latest sync went; the loop draws the consequences, at its next flush."""
        try:
            self._sync_file(self._file)
            _sync_folder(path.parent)
        except OSError as error:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise JournalError(f"the journal {path} cannot be synced: {error.strerror}") from error

    @property
    def last_sync_records(self) -> Sequence[bytes]:
        """The records of the latest sync, or of the next one where that has failed."""
        return self._unsynced

    def flush(self) -> None:
        """Hand the current group to the operating system, together with what a failed sync leaves in doubt.

        Raises JournalError when it cannot be written; may be tried again.
        """
        self._apply_sync_result()
        super().flush()

    def sync(self) -> None:
        """Return when the disk has what was flushed. May run in a thread, one at a time, and not beside `flush`.

        Raises JournalError when nobody knows what the disk has: `flush` then writes it anew.
        """
        try:
            self._sync_file(self._file)
        except OSError as error:
            self._is_doubtful = True
            raise JournalError(f"the journal {self.path} cannot be synced: {error.strerror}") from error
        self._is_synced = True

    def close(self) -> None:
        """Flush, sync and close. A second call has no effect. Raises JournalError when the rest cannot be kept."""
        if self._is_open:
            try:
                self.flush()
                self.sync()
            finally:
                super().close()

    def _on_group_written(self) -> None:
        self._unsynced += self._records

    def _apply_sync_result(self) -> None:
        if self._is_doubtful:
            self._records[:0] = self._unsynced
            self._chain, self._whole_size, self._has_scraps = self._synced_chain, self._synced_size, True
            self._unsynced = []
        elif self._is_synced:
            self._synced_chain, self._synced_size = self._chain, self._whole_size
            self._unsynced = []
        self._is_doubtful = self._is_synced = False
