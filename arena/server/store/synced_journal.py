"""A journal whose records survive a power cut: flushed records are synced to the disk before they are announced.

After a failed sync the content of the disk is unknown. Linux reports the fault once, forgets which pages it concerned
and reports success for the next sync ("fsyncgate", 2018). A sync is therefore never simply repeated. Instead,
everything written since the last successful sync is cut off, written again and synced again.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.errors import JournalError
from arena.server.store.journal_file import JournalFile


def sync_file(file: int) -> None:
    """Sync an open file to the disk. Raises OSError."""
    if sys.platform == "darwin":
        from fcntl import F_FULLFSYNC, fcntl  # noqa: PLC0415  exists only on macOS

        fcntl(file, F_FULLFSYNC)  # fsync on macOS stops at the drive's own cache
    elif sys.platform == "linux":
        os.fdatasync(file)
    else:
        os.fsync(file)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to the disk, on systems where a folder can be opened."""
    if sys.platform != "win32":
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class SyncedJournalFile(JournalFile):
    """Implements the `SyncedJournal` port. The event loop calls `flush` and `close`; neither waits for a running sync.

    Raises JournalError if the file exists or cannot be created.
    """

    def __init__(self, path: Path, sync: Callable[[int], None] = sync_file) -> None:
        """`sync` syncs an open file to the disk, or raises OSError."""
        super().__init__(path)
        self._sync_file = sync
        self._unsynced: list[bytes] = []
        self._synced_chain, self._synced_size = self._chain, self._whole_size
        self._is_synced = self._has_failed = False
        """The result of the latest sync, which the next flush in the event loop acts on."""
        try:
            self._sync_file(self._file)
            sync_folder(path.parent)
        except OSError as error:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise JournalError(f"the journal {path} cannot be synced: {error.strerror}") from error

    @property
    def last_sync_records(self) -> Sequence[bytes]:
        """Return the records of the latest sync, or of the next one if the latest failed."""
        return self._unsynced

    def flush(self) -> None:
        """Hand the current group to the operating system. After a failed sync the group includes that sync's records.

        Raises JournalError if it cannot be written; may be called again.
        """
        if self._has_failed:  # go back to the last successful sync, and write again what came after it
            self._records[:0] = self._unsynced
            self._chain, self._whole_size, self._has_torn_tail = self._synced_chain, self._synced_size, True
            self._unsynced = []
        elif self._is_synced:
            self._synced_chain, self._synced_size = self._chain, self._whole_size
            self._unsynced = []
        self._has_failed = self._is_synced = False
        super().flush()

    def sync(self) -> None:
        """Sync the flushed records to the disk, perhaps in a thread. Only one sync may run, and none during a `flush`.

        Raises JournalError if the sync fails; the next `flush` then writes the records again.
        """
        try:
            self._sync_file(self._file)
        except OSError as error:
            self._has_failed = True
            raise JournalError(f"the journal {self.path} cannot be synced: {error.strerror}") from error
        self._is_synced = True

    def close(self) -> None:
        """Flush, sync and close. A second call has no effect. Raises JournalError if flushing or syncing fails."""
        if self._is_open:
            try:
                self.flush()
                self.sync()
            finally:
                super().close()

    def _on_group_written(self) -> None:
        self._unsynced += self._records
