"""Where the journals of a data folder are: files of their own, or packed, or dropped by the organizer's term.

    journals/NAME.journal            a journal that is a file of its own
    packed/2026-11-30.zip            the packed journals of the nodes that started on this day (UTC)
    packed/2026-11-30.dropped.json   the journals of that day that were dropped, when, and by which term

A journal's name begins with the id of its node's start, so it tells the day. The file is deleted after its archive is
synced, and the archive after its note is: a reader that tries file, archive and note in this order always finds one.
"""

import json
import os
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from arena.errors import JournalError
from arena.ids import ID_LENGTH, id_time
from arena.plain_data import from_plain
from arena.plurals import format_count
from arena.server.store.data_folder import JOURNALS_FOLDER, PACKED_FOLDER

FILE, PACKED, DROPPED = "file", "packed", "dropped"
_DAY_PATTERN: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_DAY_FORMAT: Final = "%Y-%m-%d"


@dataclass(frozen=True, slots=True)
class DroppedJournals:
    dropped_at: float
    """Seconds since 1970."""
    term_days: int
    """The organizer's term: the age in days at which they were dropped."""
    journals: tuple[str, ...]
    """The names of their files."""

    def __str__(self) -> str:
        day = time.strftime(_DAY_FORMAT, time.gmtime(self.dropped_at))
        return f"was dropped on {day}, by the organizer's term of {format_count(self.term_days, 'day')}"


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """Where a journal is."""

    name: str
    """The name of its file."""
    state: str
    """FILE, PACKED or DROPPED."""
    byte_count: int
    """Its size; 0 if it was dropped."""
    stored_byte_count: int
    """What it takes on the disk."""


def archive_of(journal: Path) -> Path | None:
    """Return where a journal of a data folder is packed, or would be; None if its name tells no day."""
    started_at = id_time(journal.name[:ID_LENGTH])
    if started_at is None:
        return None
    return journal.parent.parent / PACKED_FOLDER / f"{time.strftime(_DAY_FORMAT, time.gmtime(started_at))}.zip"


def list_archives(folder: Path) -> list[Path]:
    """Return the archives of a data folder, oldest day first."""
    return sorted((folder / PACKED_FOLDER).glob(f"{_DAY_PATTERN}.zip"))


def list_journals(folder: Path) -> list[JournalPlace]:
    """Return the journals of a data folder by name, oldest first. Archives that cannot be read are left out."""
    found: dict[str, JournalPlace] = {}
    for note in (folder / PACKED_FOLDER).glob(f"{_DAY_PATTERN}.dropped.json"):
        dropped = _read_note(note)
        found |= {name: JournalPlace(name, DROPPED, 0, 0) for name in (dropped.journals if dropped else ())}
    for archive in list_archives(folder):
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                found[info.filename] = JournalPlace(info.filename, PACKED, info.file_size, info.compress_size)
    for path in (folder / JOURNALS_FOLDER).glob("*.journal"):
        with suppress(FileNotFoundError):  # it is packed at this moment
            size = path.stat().st_size
            found[path.name] = JournalPlace(path.name, FILE, size, size)
    return [found[name] for name in sorted(found)]


def open_journal(path: Path) -> tuple[IO[bytes], int]:
    """Return the bytes of a journal, packed or not, and how many there are now.

    Raises OSError, and JournalError if its archive is damaged.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        if (packed := _open_packed(path)) is None:
            raise
        return packed
    return file, os.fstat(file.fileno()).st_size


def has_journal(path: Path) -> bool:
    """Return whether there is a journal, packed or not. One in a damaged archive counts: reading it tells the fault."""
    try:
        open_journal(path)[0].close()
    except JournalError:
        return True
    except OSError:
        return False
    return True


def journal_size(path: Path) -> int | None:
    """Return how many bytes a journal has now; None if it cannot be read."""
    try:
        file, size = open_journal(path)
    except (OSError, JournalError):
        return None
    file.close()
    return size


def describe_missing(journal: Path) -> str:
    """Return why a journal cannot be read that neither is a file nor packed."""
    return f"the journal {journal.name} {find_dropped(journal) or 'is not in this data folder'}"


def find_dropped(journal: Path) -> DroppedJournals | None:
    """Return the note that names a journal; None if it was not dropped."""
    archive = archive_of(journal)
    note = None if archive is None else read_dropped(archive)
    return note if note is not None and journal.name in note.journals else None


def dropped_note(archive: Path) -> Path:
    return archive.with_suffix(".dropped.json")


def read_dropped(archive: Path) -> DroppedJournals | None:
    """Return the note of what was dropped from an archive; None if there is none that can be read."""
    return _read_note(dropped_note(archive))


def _read_note(note: Path) -> DroppedJournals | None:
    try:
        return from_plain(json.loads(note.read_bytes()), DroppedJournals)
    except (OSError, ValueError):
        return None


def _open_packed(path: Path) -> tuple[IO[bytes], int] | None:
    """Return None if the journal is not packed. Raises OSError, JournalError."""
    archive = archive_of(path)
    if archive is None:
        return None
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.open(path.name), opened.getinfo(path.name).file_size
    except (FileNotFoundError, KeyError):
        return None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise JournalError(f"{archive.name}, which has the journal {path.name}, is damaged: {error}") from error
