"""Reads journal files for replays: the matches that began in them, their records, and which bytes were unreadable."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import filterfalse, groupby
from pathlib import Path
from typing import Any

from arena.errors import JournalError
from arena.ids import ID_LENGTH
from arena.match.referee.inputs import Begin, InputKind, match_number_of, read_record
from arena.match.referee.match_offer import is_offer
from arena.match.referee.ports import MatchId
from arena.plurals import format_subject
from arena.server.store.data_folder import JOURNALS_FOLDER
from arena.server.store.journal_file import read_records


@dataclass(frozen=True, slots=True)
class JournaledMatch:
    match_id: MatchId
    number: int
    """Number of the match in this journal."""
    terms: Mapping[str, Any]
    path: Path


class JournalReader:
    """Iterates over the readable records of a journal, except offers. Damage raises no error; `remark` describes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.remark = ""
        """Says what could not be read; empty if everything was read. Known after the iteration."""
        self.is_damaged = False
        """Whether the file is damaged or is not a journal. A torn end is no damage. Known after the iteration."""

    def __iter__(self) -> Iterator[bytes]:
        records = read_records(self.path)
        try:
            yield from filterfalse(is_offer, records)
        except JournalError as error:
            self.remark = f"{error}; the records after that are not shown"
            self.is_damaged = True
        if records.has_torn_tail:
            dropped = format_subject(records.dropped_byte_count, "byte")
            self.remark = f"{self.path.name} ends in the middle of a group: its last {dropped} dropped"


def journal_files(folder: Path) -> list[Path]:
    """Return the journals of a data folder that are not packed, newest first.

    All matches in packed ones have ended, and are in the store.
    """
    return sorted((folder / JOURNALS_FOLDER).glob("*.journal"), reverse=True)


def journals_by_start(folder: Path) -> list[list[Path]]:
    """Return the journals grouped by server start, newest first. Each node of a server writes one journal.

    A journal's name is the ULID of its node's start, followed by the number of the server's start. Server starts do not
    overlap in time, so the journals of one start are adjacent. Older versions wrote one journal per start, without a
    number.
    """
    return [list(paths) for _, paths in groupby(journal_files(folder), lambda path: path.stem[ID_LENGTH:] or path.stem)]


def journaled_matches(reader: JournalReader) -> list[JournaledMatch]:
    """Return the matches that began in a journal, in order, without those that this version cannot read."""
    matches = []
    for record in reader:
        if record[:1] == _BEGIN_PREFIX:
            try:
                begin = read_record(record)
            except JournalError:
                continue
            if isinstance(begin, Begin):
                matches.append(JournaledMatch(begin.match_id, match_number_of(record), begin.terms, reader.path))
    return matches


def read_match_records(reader: JournalReader, numbers: Collection[int]) -> dict[int, list[bytes]]:
    """Return the records of the matches with these numbers, by number."""
    by_match: dict[int, list[bytes]] = {number: [] for number in numbers}
    for record in reader:
        number = match_number_of(record)
        if number in by_match:
            by_match[number].append(record)
    return by_match


def iter_match_records(path: Path, numbers: Collection[int]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number and the records of each wanted match in a journal, as soon as all records of the match are read.

    The journal is read twice, so that memory holds only the records of matches that ran at the same time.
    """
    wanted = frozenset(numbers)
    sizes = Counter(number for number in map(match_number_of, JournalReader(path)) if number in wanted)
    by_match: defaultdict[int, list[bytes]] = defaultdict(list)
    for record in JournalReader(path):
        number = match_number_of(record)
        if number in sizes:
            by_match[number].append(record)
            if len(by_match[number]) == sizes[number]:
                yield number, by_match.pop(number)


_BEGIN_PREFIX = bytes((InputKind.BEGIN,))
