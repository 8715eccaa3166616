"""Allows one writer per data folder, by a lock. The operating system releases it when the holder ends, for any reason.

The lock is that of a small SQLite file, because such a lock works the same on every system. The file counts how often
the lock was taken. This count gives each holder a number, which is part of the names of the holder's journals. A note
beside the file names the holder for people; while nobody holds the lock, the note means nothing.

A holder's nodes write their own journals. Each node has a shared lock on the folder while it runs, so that the next
holder can wait until the last node of a killed holder has ended.
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from arena.errors import StoreError, StoreLockedError
from arena.server.store.data_folder import LOCK_INFO_FILE, NODES_FILE, make_data_folder, make_private_file

_LOCK_NAME: Final = "arena.lock"
_NODES_EXIT_TIMEOUT_S: Final = 10.0
"""Seconds to wait for the nodes of a killed holder. Such nodes normally end by themselves immediately."""


class FolderLock:
    """The right to write to one data folder, until `release` or the end of the process. A context manager."""

    def __init__(self, folder: Path, lock: sqlite3.Connection, number: int) -> None:
        self.folder = folder
        self.number = number
        """How often the folder has been locked, including this time."""
        self._lock: sqlite3.Connection | None = lock
        self._started_at = time.time()
        self._note: dict[str, object] = {}

    def write_lock_info(
        self, address: str, public_address: str = "", submissions: object = None, *, speaks_tls: bool = False
    ) -> None:
        """Write the note that tells other processes who holds the lock. Raises StoreError if it cannot be written.

        `address` is where programs of this machine dial the holder; empty if it does not serve. `public_address` is
        what the holder's settings name for people; empty if they name none.
        `submissions` is what the holder says of the submissions that it takes, as plain data; None if it takes none.
        """
        self._note = {
            "pid": os.getpid(),
            "started_at": self._started_at,
            "address": address,
            "speaks_tls": speaks_tls,
            "public_address": public_address,
            "submissions": submissions,
        }
        self._write_note()

    def note_idle_house_bots(self, names: Sequence[str]) -> None:
        """Write in the note which house bots do not run. Raises StoreError."""
        self._note["idle_house_bots"] = list(names)
        self._write_note()

    def _write_note(self) -> None:
        draft = self.folder / f"{LOCK_INFO_FILE}.new"
        try:
            draft.unlink(missing_ok=True)
            make_private_file(draft)
            draft.write_text(json.dumps(self._note), encoding="utf-8")
            draft.replace(self.folder / LOCK_INFO_FILE)
        except OSError as error:
            raise StoreError(f"cannot write to {self.folder}: {error.strerror}") from error

    def release(self) -> None:
        """Release the lock. A second call has no effect."""
        if self._lock is None:
            return
        with contextlib.suppress(OSError):  # while nobody holds the lock, the note means nothing
            (self.folder / LOCK_INFO_FILE).unlink(missing_ok=True)
        self._lock.close()
        self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def acquire_folder_lock(folder: Path, address: str = "") -> FolderLock:
    """Lock a data folder for writing, creating it if needed. Never waits.

    Raises StoreLockedError, which names the holder, if the folder is locked. Raises StoreError if the folder cannot be
    used.
    """
    make_data_folder(folder)
    path = folder / _LOCK_NAME
    lock: sqlite3.Connection | None = None
    try:
        make_private_file(path)
        lock = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        number = _lock_and_count(lock)
    except (OSError, sqlite3.Error) as error:
        if lock is not None:
            lock.close()
        if getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY":
            way_out = "wait until it ends, or choose another folder with --data"
            raise StoreLockedError(f"the store in {folder} is held by {_describe_holder(folder)}: {way_out}") from error
        raise StoreError(f"the store in {folder} cannot be locked: {error}") from error
    held = FolderLock(folder, lock, number)
    try:
        held.write_lock_info(address)
    except StoreError:
        held.release()
        raise
    return held


def _lock_and_count(lock: sqlite3.Connection) -> int:
    """Take the lock and return the holder's number. Raises sqlite3.Error."""
    lock.execute("PRAGMA locking_mode = EXCLUSIVE")  # so that the lock outlasts the transaction
    lock.execute("BEGIN EXCLUSIVE")
    number: int = lock.execute("PRAGMA user_version").fetchone()[0] + 1
    lock.execute(f"PRAGMA user_version = {number}")
    lock.execute("COMMIT")
    return number


def register_node(folder: Path) -> sqlite3.Connection:
    """Hold a node's shared lock on a folder until the connection is closed or the process ends. Raises StoreError."""
    try:
        nodes = _connect_nodes_file(folder, 0)
        nodes.execute("BEGIN")
        nodes.execute("SELECT 1 FROM sqlite_master").fetchall()
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"a node cannot lock the store in {folder}: {error}") from error
    return nodes


def wait_for_old_nodes(folder: Path, time_s: float = _NODES_EXIT_TIMEOUT_S) -> None:
    """Wait until no node of an earlier holder is left. Raises StoreLockedError after `time_s` seconds."""
    try:
        with contextlib.closing(_connect_nodes_file(folder, time_s)) as nodes:
            nodes.execute("BEGIN EXCLUSIVE")
    except (OSError, sqlite3.Error) as error:
        raise StoreLockedError(f"a node of a server that was killed still uses {folder}: {error}") from error


def _connect_nodes_file(folder: Path, time_s: float) -> sqlite3.Connection:
    make_private_file(folder / NODES_FILE)
    return sqlite3.connect(folder / NODES_FILE, timeout=time_s, isolation_level=None, check_same_thread=False)


def is_folder_locked(folder: Path) -> bool:
    """Return whether a process has locked a data folder for writing. Writes nothing."""
    path = folder / _LOCK_NAME
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as lock:
            lock.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY"
    return False


def public_address_of_holder(folder: Path) -> str:
    """Return the address that the settings of a folder's server name for bots; empty if they name none."""
    return str(_read_note(folder).get("public_address", ""))


def address_of_holder(folder: Path) -> tuple[str, bool]:
    """Return where programs of this machine dial the server that uses a folder now, and whether it speaks TLS there.

    The address is empty if there is no server, or if it does not serve yet.
    """
    note = _read_note(folder) if is_folder_locked(folder) else {}
    return str(note.get("address", "")), bool(note.get("speaks_tls"))


def submissions_of_holder(folder: Path) -> object:
    """Return what the server that uses a folder now says of the submissions that it takes; None if it takes none."""
    return _read_note(folder).get("submissions") if is_folder_locked(folder) else None


def idle_house_bots_of_holder(folder: Path) -> Sequence[str]:
    """Return the house bots that the server that uses a folder now cannot keep running."""
    names = _read_note(folder).get("idle_house_bots") if is_folder_locked(folder) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _describe_holder(folder: Path) -> str:
    """Describe the holder of a folder from the note beside the lock; "another process" if it cannot be read."""
    note = _read_note(folder)
    try:
        since = datetime.fromtimestamp(note["started_at"]).astimezone().isoformat(" ", "seconds")
        where = f" at {note['address']}" if note["address"] else ""
        return f"process {int(note['pid'])}{where}, started {since}"
    except (ValueError, TypeError, KeyError, OverflowError, OSError):
        return "another process"


def _read_note(folder: Path) -> Mapping[str, Any]:
    """Return the note beside the lock; an empty one if it is missing or cannot be read."""
    try:
        note = json.loads((folder / LOCK_INFO_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}
