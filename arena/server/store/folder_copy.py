"""Copies a data folder to another place, while a server may use it: for backups, and to restore them.

The copy is a data folder as a kill of the server could have left it at one instant. The server records in the journals
before it writes to the database, and it makes files before the database refers to them and removes them afterwards. So
files are copied before the database, and once more those that are new; and of each journal, what it had at the instant
of the database's snapshot. Archives of journals come last: a journal that goes meanwhile is in one of them.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import RequestError, StoreError
from arena.server.store.data_folder import (
    DATABASE_FILE,
    JOURNALS_FOLDER,
    NOT_KEPT,
    PACKED_FOLDER,
    STORE_NOTE,
    make_private_file,
)
from arena.server.store.schema import is_current

_LOCK_WAIT_S = 30.0
"""Seconds to wait for somebody who writes to the database."""


@dataclass(slots=True)
class CopiedFiles:
    count: int = 0
    byte_count: int = 0


def copy_data_folder(source: Path, target: Path) -> CopiedFiles:
    """Copy a data folder to a folder that is empty or not there yet, with the permissions of everything in it.

    All that is in the folder is copied, except NOT_KEPT, sockets and the like. A link in the folder itself to another
    folder, such as one on another disk, becomes a folder; other links stay links. The database appears last, so a copy
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
    engine = create_engine("sqlite://", creator=lambda: _connect(path))
    try:
        with engine.connect() as connection:
            is_current(connection, str(path))
    except SQLAlchemyError as error:
        raise StoreError(f"{path} is no database of the arena: {error}") from error
    finally:
        engine.dispose()
    return copy_data_folder(backup, target)


def _require_database(folder: Path) -> None:
    if (folder / STORE_NOTE).is_file():
        raise RequestError(
            f"the database of {str(folder)!r} is in PostgreSQL: stop the server, copy the folder, and back up the"
            " database with pg_dump"
        )
    if not (folder / DATABASE_FILE).is_file():
        raise RequestError(f"{str(folder)!r} is no data folder, and no whole copy of one: it has no {DATABASE_FILE}")


def _copy(source: Path, target: Path) -> CopiedFiles:
    copied, unfinished = CopiedFiles(), target / f"{DATABASE_FILE}.part"
    target.mkdir(parents=True, mode=0o700, exist_ok=True)
    _copy_new_files(source, target, copied)
    sizes = _copy_database(source, unfinished)
    _copy_new_files(source, target, copied)
    for path, size in sizes.items():
        with suppress(FileNotFoundError):
            _copy_beginning(path, target / JOURNALS_FOLDER / path.name, size)
            copied.count, copied.byte_count = copied.count + 1, copied.byte_count + size
    _copy_archives(source, target / PACKED_FOLDER, copied)
    _copy_folder_modes(source, target)
    copied.count, copied.byte_count = copied.count + 1, copied.byte_count + unfinished.stat().st_size
    shutil.copymode(source / DATABASE_FILE, unfinished)
    unfinished.rename(target / DATABASE_FILE)
    if hasattr(os, "sync"):
        os.sync()
    return copied


def _copy_new_files(source: Path, target: Path, copied: CopiedFiles) -> None:
    """Copy what is not there yet, except database, journals and archives. What is removed meanwhile is left out."""
    for path in _list_kept(source, source):
        place = target / path.relative_to(source)
        with suppress(FileNotFoundError):
            if _is_folder(source, path):
                place.mkdir(mode=0o700, exist_ok=True)
            elif not os.path.lexists(place):
                shutil.copy2(path, place, follow_symlinks=False)
                copied.count, copied.byte_count = copied.count + 1, copied.byte_count + place.lstat().st_size


def _copy_archives(source: Path, target: Path, copied: CopiedFiles) -> None:
    """Copy the archives of journals, as they were at one instant: again, if one was replaced or dropped meanwhile."""
    is_same = not (source / PACKED_FOLDER).is_dir()
    while not is_same:
        files = _list_archives(source)
        target.mkdir(mode=0o700, exist_ok=True)
        for place in target.iterdir():
            place.unlink()
        for path in files:
            with suppress(FileNotFoundError):
                shutil.copy2(path, target / path.name)
        is_same = _list_archives(source) == files
    sizes = [place.stat().st_size for place in target.glob("*")]
    copied.count, copied.byte_count = copied.count + len(sizes), copied.byte_count + sum(sizes)


def _list_archives(source: Path) -> Mapping[Path, tuple[int, int]]:
    """Return the files in the archives' folder, with the time and size that give away a replaced one."""
    found = {}
    for path in (source / PACKED_FOLDER).iterdir():
        if path.relative_to(source).as_posix() not in NOT_KEPT:
            with suppress(FileNotFoundError):
                found[path] = (path.stat().st_mtime_ns, path.stat().st_size)
    return found


def _copy_folder_modes(source: Path, target: Path) -> None:
    """Give the folders their permissions, inner ones first, once no more is written: a folder may be read-only."""
    for place in sorted((each for each in target.rglob("*") if each.is_dir() and not each.is_symlink()), reverse=True):
        with suppress(FileNotFoundError):
            shutil.copymode(source / place.relative_to(target), place)


def _is_folder(root: Path, path: Path) -> bool:
    """Return whether a path is a folder, or a link in the root itself to one."""
    return path.is_dir() and (path.parent == root or not path.is_symlink())


def _list_kept(root: Path, folder: Path) -> Iterator[Path]:
    """Yield the folders, files and links to copy, each folder before what is in it."""
    for path in sorted(folder.iterdir()):
        name = path.relative_to(root).as_posix()
        if name in NOT_KEPT or name == DATABASE_FILE:
            continue
        if _is_folder(root, path):
            yield path
            if name not in (JOURNALS_FOLDER, PACKED_FOLDER):
                with suppress(FileNotFoundError):
                    yield from _list_kept(root, path)
        elif path.is_symlink() or path.is_file():
            yield path


def _copy_database(source: Path, target: Path) -> Mapping[Path, int]:
    """Copy the database, and return the size that each journal had at the instant of which the copy is.

    Nobody writes to the database at that instant; then everybody may, while its snapshot is copied.
    """
    path = source / DATABASE_FILE
    make_private_file(target)
    with (
        closing(_connect(path)) as writer,
        closing(_connect(path)) as reader,
        closing(sqlite3.connect(target)) as copy,
    ):
        writer.execute("BEGIN" if _is_read_only(path) else "BEGIN IMMEDIATE")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        sizes = {each: each.stat().st_size for each in sorted((source / JOURNALS_FOLDER).glob("*.journal"))}
        writer.execute("ROLLBACK")
        reader.backup(copy)
    return sizes


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database. SQLite makes files beside it, unless it is told that the database never changes."""
    options = "?immutable=1" if _is_read_only(path) else ""
    uri = f"{path.absolute().as_uri()}{options}"
    return sqlite3.connect(uri, timeout=_LOCK_WAIT_S, isolation_level=None, uri=True, check_same_thread=False)


def _is_read_only(path: Path) -> bool:
    """Return whether a database is in a folder that cannot be written, such as that of a backup, and is complete."""
    return not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()


def _copy_beginning(source: Path, target: Path, size: int) -> None:
    with source.open("rb") as reading, target.open("xb") as writing:
        while size > 0 and (data := reading.read(min(size, 1 << 20))):
            writing.write(data)
            size -= len(data)
    shutil.copystat(source, target)
