"""Copies a data folder to another place, while a server may use it: for backups, and to restore them.

The copy is a data folder as a kill of the server could have left it at one instant. The server records in the journals
before it writes to the database, and it makes files before the database refers to them and removes them afterwards. So
files are copied before the database, and once more those that are new; and of each journal, what it had at the instant
of the database's snapshot.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, create_engine
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import RequestError, StoreError
from arena.store.data_folder import DATABASE_FILE, JOURNALS_FOLDER, NOT_KEPT, make_private_file
from arena.store.schema import is_current

_LOCK_WAIT_S = 30.0
"""Seconds to wait for somebody who writes to the database."""


@dataclass(slots=True)
class CopiedFiles:
    """How much was copied."""

    count: int = 0
    byte_count: int = 0


def copy_data_folder(source: Path, target: Path) -> CopiedFiles:
    """Copy a data folder to a folder that is empty or not there yet, with the permissions of everything in it.

    All that is in the folder is copied, except NOT_KEPT, sockets and the like. The database appears last, so a copy
    that was interrupted is no data folder. Raises RequestError if there is no data folder, or if the target is not
    empty or inside the source, and StoreError if something cannot be read or written.
    """
    _require_database(source)
    if target.resolve().is_relative_to(source.resolve()):
        raise RequestError(f"the copy cannot be inside the data folder {str(source)!r}: {str(target)!r} is")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RequestError(f"{str(target)!r} is not an empty folder: name another one")
    try:
        return _copy(source, target)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"cannot copy {source} to {target}: {error}") from error


def restore_data_folder(backup: Path, target: Path) -> CopiedFiles:
    """Copy a backup to a folder that is empty or not there yet.

    Raises StoreVersionError if a newer version of the arena made it, and otherwise what `copy_data_folder` raises.
    """
    _require_database(backup)
    path = backup / DATABASE_FILE
    engine = create_engine(URL.create("sqlite", database=str(path)))
    try:
        with engine.connect() as connection:
            is_current(connection, path)
    except SQLAlchemyError as error:
        raise StoreError(f"{path} is no database of the arena: {error}") from error
    finally:
        engine.dispose()
    return copy_data_folder(backup, target)


def _require_database(folder: Path) -> None:
    if not (folder / DATABASE_FILE).is_file():
        raise RequestError(f"{str(folder)!r} is no data folder, and no whole copy of one: it has no {DATABASE_FILE}")


def _copy(source: Path, target: Path) -> CopiedFiles:
    copied, unfinished = CopiedFiles(), target / f"{DATABASE_FILE}.part"
    target.mkdir(parents=True, mode=0o700, exist_ok=True)
    _copy_new_files(source, target, copied)
    sizes = _copy_database(source, unfinished)
    _copy_new_files(source, target, copied)
    for path, size in sizes.items():
        _copy_beginning(path, target / JOURNALS_FOLDER / path.name, size)
        copied.count, copied.byte_count = copied.count + 1, copied.byte_count + size
    copied.count, copied.byte_count = copied.count + 1, copied.byte_count + unfinished.stat().st_size
    shutil.copymode(source / DATABASE_FILE, unfinished)
    unfinished.rename(target / DATABASE_FILE)
    if hasattr(os, "sync"):
        os.sync()
    return copied


def _copy_new_files(source: Path, target: Path, copied: CopiedFiles) -> None:
    """Copy what is not there yet, except the database and the journals. What is removed meanwhile is left out."""
    for path in _list_kept(source, source):
        place = target / path.relative_to(source)
        with suppress(FileNotFoundError):
            if path.is_dir() and not path.is_symlink():
                place.mkdir(mode=0o700, exist_ok=True)
                shutil.copymode(path, place)
            elif not os.path.lexists(place):
                shutil.copy2(path, place, follow_symlinks=False)
                copied.count, copied.byte_count = copied.count + 1, copied.byte_count + place.lstat().st_size


def _list_kept(root: Path, folder: Path) -> Iterator[Path]:
    """Yield the folders, files and links to copy, each folder before what is in it."""
    for path in sorted(folder.iterdir()):
        name = path.relative_to(root).as_posix()
        if name in NOT_KEPT or name == DATABASE_FILE:
            continue
        if path.is_symlink() or path.is_file():
            yield path
        elif path.is_dir():
            yield path
            if name != JOURNALS_FOLDER:
                with suppress(FileNotFoundError):
                    yield from _list_kept(root, path)


def _copy_database(source: Path, target: Path) -> Mapping[Path, int]:
    """Copy the database, and return the size that each journal had at the instant of which the copy is.

    Nobody writes to the database at that instant; then everybody may, while its snapshot is copied.
    """
    path = source / DATABASE_FILE
    make_private_file(target)
    with (
        closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None)) as writer,
        closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None)) as reader,
        closing(sqlite3.connect(target)) as copy,
    ):
        writer.execute("BEGIN IMMEDIATE")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        sizes = {each: each.stat().st_size for each in sorted((source / JOURNALS_FOLDER).glob("*.journal"))}
        writer.execute("ROLLBACK")
        reader.backup(copy)
    return sizes


def _copy_beginning(source: Path, target: Path, size: int) -> None:
    """Copy the first `size` bytes of a file."""
    with source.open("rb") as reading, target.open("xb") as writing:
        while size > 0 and (data := reading.read(min(size, 1 << 20))):
            writing.write(data)
            size -= len(data)
    shutil.copystat(source, target)
