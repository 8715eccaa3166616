"""Packs journals into the archive of their day, and drops archives, so that a kill at any instant loses nothing.

An archive is written beside the one that it replaces, synced, and compared with the journals; then it gets its name,
and only then the journals go. A kill before that leaves an unfinished archive, which the next call writes anew; a kill
after it leaves journals that are packed too, which the next call compares and removes.
"""

import calendar
import shutil
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from arena.errors import JournalError, StoreError, StoreLockedError
from arena.plain_data import canonical_json, to_plain
from arena.server.store.data_folder import (
    PACKED_FOLDER,
    PACKING_LOCK,
    UNFINISHED_ARCHIVE,
    make_private_file,
    write_private_file,
)
from arena.server.store.packed_journals import DroppedJournals, dropped_note, read_dropped
from arena.server.store.synced_journal import sync_file, sync_folder

_CHUNK: Final = 1 << 20
_SYNCED_BYTES: Final = 4 << 20
"""An archive is synced each time it has grown by so much, so that no journal waits for a large sync."""
_SPARE_BYTES: Final = 256 << 20
"""Bytes of the disk that are left for the matches that run meanwhile."""
_EARLIEST_S: Final = 315_532_800
_LATEST_S: Final = 4_354_819_196
"""1980 and 2107, in seconds since 1970: the times that a ZIP file can tell."""
_FAULTS: Final = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, JournalError)
"""What the disk or a damaged archive raises."""


@contextmanager
def hold_packing(folder: Path) -> Iterator[None]:
    """Let no other process pack meanwhile. Raises StoreLockedError if one packs already, and StoreError."""
    try:
        (folder / PACKED_FOLDER).mkdir(mode=0o700, exist_ok=True)
        make_private_file(folder / PACKING_LOCK)
        lock = sqlite3.connect(folder / PACKING_LOCK, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"the journals of {folder} cannot be packed: {error}") from error
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise StoreLockedError(f"another process packs the journals of {folder}: wait until it ends") from error
        yield


def pack_journals(archive: Path, journals: Sequence[Path]) -> int:
    """Move journals that nobody writes any more into the archive of their day. Return the bytes by which it grew.

    Raises StoreError if the archive cannot be read or written, has another journal of such a name, or would fill the
    disk. Then the journals stay where they are.
    """
    unfinished = archive.with_name(Path(UNFINISHED_ARCHIVE).name)
    old_size = archive.stat().st_size if archive.exists() else 0
    try:
        _require_room(archive.parent, old_size + sum(journal.stat().st_size for journal in journals))
        _write_archive(archive, unfinished, journals)
        _compare(unfinished, journals)
        grown = unfinished.stat().st_size - old_size
        unfinished.replace(archive)
        sync_folder(archive.parent)
        for journal in journals:
            journal.unlink()
        sync_folder(journals[0].parent)
    except _FAULTS as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise StoreError(f"journals cannot be packed into {archive}: {error}") from error
    return grown


def drop_archive(archive: Path, journals: Sequence[str], now: float, term_days: int) -> None:
    """Remove an archive, and note which journals went with it, when, and by which term. Raises StoreError."""
    earlier = read_dropped(archive)
    names = {*journals, *(earlier.journals if earlier else ())}
    note = DroppedJournals(now, term_days, tuple(sorted(names)))
    try:
        write_private_file(dropped_note(archive), canonical_json(to_plain(note)))
        sync_folder(archive.parent)
        archive.unlink()
        sync_folder(archive.parent)
    except OSError as error:
        raise StoreError(f"{archive} cannot be dropped: {error}") from error


def journal_ends(archive: Path) -> dict[str, float]:
    """Return when each journal of an archive was last written, in seconds since 1970. Raises StoreError."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return {info.filename: calendar.timegm((*info.date_time, 0, 0, 0)) for info in opened.infolist()}
    except _FAULTS as error:
        raise StoreError(f"{archive} cannot be read: {error}") from error


def _require_room(folder: Path, byte_count: int) -> None:
    """Raise StoreError unless the disk has room for a file of this size and still for running matches."""
    free = shutil.disk_usage(folder).free
    if free < byte_count + _SPARE_BYTES:
        raise OSError(f"{free >> 20} MB are free on the disk, expected {(byte_count + _SPARE_BYTES) >> 20}")


def _write_archive(archive: Path, unfinished: Path, journals: Sequence[Path]) -> None:
    """Write what the archive has already, then the journals that it lacks, and sync it."""
    unfinished.unlink(missing_ok=True)
    make_private_file(unfinished)
    with unfinished.open("r+b") as file:
        if archive.exists():
            zipfile.ZipFile(archive).close()  # which refuses a file that is no archive; `a` would begin a new one in it
            with archive.open("rb") as old:
                shutil.copyfileobj(old, file, _CHUNK)
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as packed:
            present = set(packed.namelist())
            for journal in journals:
                if journal.name not in present:
                    _add(packed, journal, file)
        file.flush()
        sync_file(file.fileno())


def _add(packed: zipfile.ZipFile, journal: Path, file: IO[bytes]) -> None:
    ended_at = min(max(journal.stat().st_mtime, _EARLIEST_S), _LATEST_S)
    entry = zipfile.ZipInfo(journal.name, time.gmtime(ended_at)[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    synced = file.tell()
    with journal.open("rb") as reading, packed.open(entry, "w", force_zip64=True) as writing:
        while data := reading.read(_CHUNK):
            writing.write(data)
            if file.tell() - synced > _SYNCED_BYTES:
                sync_file(file.fileno())
                synced = file.tell()


def _compare(unfinished: Path, journals: Sequence[Path]) -> None:
    """Raise JournalError unless the archive has exactly these bytes of each journal."""
    with zipfile.ZipFile(unfinished) as packed:
        for journal in journals:
            with packed.open(journal.name) as one, journal.open("rb") as other:
                while (data := other.read(_CHUNK)) == one.read(_CHUNK):
                    if not data:
                        break
                else:
                    raise JournalError(f"it has another journal {journal.name}")
