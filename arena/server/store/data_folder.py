"""The data folder: its layout, its permissions, and the lock of its one writer.

Only the user who runs the server has access to the folder.

arena.db      matches, games, deals, leagues, owners, tokens
arena.store   where the database is, if not in arena.db; see `store_place`
arena.lease   at which number the folder's last server held that database; see `store_lease`
arena.lock    locked by the one server that writes; arena.lock.json names it
arena.nodes   each node of that server holds a shared lock on this file
receipt.key   signs receipts; see `receipt_key`
journals/     one file per node and start
packed/       the journals of old matches; see `packed_journals`
bots/         stdout and stderr of launched bots
submissions/  packages/ and builds/ by content hash, and uploads/ in progress
leagues/      the secret, the lock, the port and the awaited bots of each league; see `arena.organizer`
pools/        the reports of closed seasons

The operating system releases the lock when its holder ends, for any reason. It is that of a small SQLite file, because
such a lock works the same on every system. The file counts how often the lock was taken. This count gives each holder a
number, which is part of the names of the holder's journals. A note beside the file names the holder for people; while
nobody holds the lock, the note means nothing.

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

from arena.errors import RequestError, StoreError, StoreLockedError

DATABASE_FILE: Final = "arena.db"
JOURNALS_FOLDER: Final = "journals"
LEASE_FILE: Final = "arena.lease"
LOCK_INFO_FILE: Final = "arena.lock.json"
NODES_FILE: Final = "arena.nodes"
STORE_NOTE: Final = "arena.store"
PACKED_FOLDER: Final = "packed"
PACKING_LOCK: Final = "packed/lock"
UNFINISHED_ARCHIVE: Final = "packed/unfinished.zip"
NOT_KEPT: Final = frozenset(
    {
        f"{DATABASE_FILE}-wal",
        f"{DATABASE_FILE}-shm",
        LOCK_INFO_FILE,
        NODES_FILE,
        "bots",
        "submissions/uploads",
        PACKING_LOCK,
        UNFINISHED_ARCHIVE,
    }
)
"""What a copy of the folder leaves out: what the database's copy has, what names running processes, the output of bots,
and uploads and archives in progress. Everything else is copied, whether this version knows it or not."""
_LOCK_NAME: Final = "arena.lock"
_NODES_EXIT_TIMEOUT_S: Final = 10.0
"""Seconds to wait for the nodes of a killed holder. Such nodes normally end by themselves immediately."""


def make_data_folder(folder: Path) -> None:
    """Create the data folder and its inner folders, accessible only to this user.

    An existing data folder keeps the permissions that the user chose; those of the inner folders are reset. Raises
    RequestError if the path is a file or leads through one, and StoreError if the folder is unusable for other reasons.
    """
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise RequestError(_describe_failure(folder, error)) from error
    except OSError as error:
        raise StoreError(_describe_failure(folder, error)) from error
    try:
        for inner in (folder / JOURNALS_FOLDER, folder / "bots", folder / "leagues", folder / "submissions"):
            inner.mkdir(mode=0o700, exist_ok=True)
            inner.chmod(0o700)
    except OSError as error:
        raise StoreError(_describe_failure(folder, error)) from error


def is_store(folder: Path) -> bool:
    """Return whether a folder has a database, or knows where it is."""
    return (folder / DATABASE_FILE).is_file() or (folder / STORE_NOTE).is_file()


def require_store(folder: Path) -> None:
    """Raise RequestError if this folder is no data folder. Unlike `open_store`, this creates nothing."""
    if not is_store(folder):
        raise RequestError(f"there is no data folder at {str(folder.resolve())!r}: nothing was sealed or played there")


def _describe_failure(folder: Path, error: OSError) -> str:
    return f"the folder {folder} cannot be used: {error.strerror}"


def make_private_file(path: Path) -> None:
    """Create an empty file accessible only to this user, unless it exists. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def write_private_file(path: Path, content: bytes) -> None:
    """Write a file accessible only to this user, atomically, replacing an existing one. Raises OSError."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(file, "wb") as writing:
        writing.write(content)
        writing.flush()
        os.fsync(file)
    temporary.replace(path)


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
        try:
            write_private_file(self.folder / LOCK_INFO_FILE, json.dumps(self._note).encode())
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
    return is_file_locked(folder / _LOCK_NAME)


def is_file_locked(path: Path) -> bool:
    """Return whether a process has locked this file as an SQLite database. Writes nothing."""
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
    """Return the submissions entry in the note of a folder's running server; None if it takes none."""
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
