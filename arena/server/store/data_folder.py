"""The data folder: its layout and its permissions. Only the user who runs the server has access.

arena.db      matches, games, deals, leagues, owners, tokens
arena.lock    locked by the one server that writes; arena.lock.json names it
arena.nodes   each node of that server holds a shared lock on this file
receipt.key   signs receipts; see `receipt_key`
journals/     one file per node and start
bots/         stdout and stderr of launched bots
submissions/  packages/ and builds/ by content hash, and uploads/ in progress
leagues/      the secret, the port and the awaited bots of each league; see `arena.organizer`
pools/        the reports of closed seasons
"""

import os
from pathlib import Path
from typing import Final

from arena.errors import RequestError, StoreError

DATABASE_FILE: Final = "arena.db"
JOURNALS_FOLDER: Final = "journals"
LOCK_INFO_FILE: Final = "arena.lock.json"
NODES_FILE: Final = "arena.nodes"
NOT_KEPT: Final = frozenset(
    {f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm", LOCK_INFO_FILE, NODES_FILE, "bots", "submissions/uploads"}
)
"""What a copy of the folder leaves out: what the database's copy has, what names running processes, the output of bots,
and uploads in progress. Everything else is copied, whether this version knows it or not."""


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
