"""The data folder: what lies where, and that it is nobody else's business.

arena.db      deals, matches, results, tokens
arena.lock    held by the one server that writes; arena.lock.json says which
arena.nodes   attended by that server's nodes
receipt.key   signs receipts; see `signing`
journals/     one file a node and start
bots/         what launched bots wrote to stdout and stderr
leagues/      what each league keeps to itself until it is closed; see `arena.hosting`
"""

import os
from pathlib import Path

from arena.errors import RequestError, StoreError


def make_data_folder(folder: Path) -> None:
    """Make the data folder and the folders in it, for this user alone.

    Raises StoreError, and RequestError where the path is that of a file, or goes through one.

    A data folder that is there keeps its permissions: it is its owner's. The folders in it are ours.
    """
    try:
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise RequestError(_describe_failure(folder, error)) from error
    except OSError as error:
        raise StoreError(_describe_failure(folder, error)) from error
    try:
        for inner in (folder / "journals", folder / "bots", folder / "leagues"):
            inner.mkdir(mode=0o700, exist_ok=True)
            inner.chmod(0o700)
    except OSError as error:
        raise StoreError(_describe_failure(folder, error)) from error


def _describe_failure(folder: Path, error: OSError) -> str:
    return f"the folder {folder} cannot be used: {error.strerror}"


def make_private_file(path: Path) -> None:
    """Make an empty file for this user alone, where there is none yet. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def write_private_file(path: Path, content: bytes) -> None:
    """Write a file for this user alone, whole or not at all, in the place of one that is there. Raises OSError."""
    scrap = path.with_suffix(".new")
    scrap.unlink(missing_ok=True)
    file = os.open(scrap, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(file, "wb") as writing:
        writing.write(content)
        writing.flush()
        os.fsync(file)
    scrap.replace(path)
