"""Reading journal files for replays: the matches begun in them, the records of a match, and what was dropped."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from arena.errors import JournalError
from arena.ids import ID_LENGTH
from arena.match.inputs import Begin, InputKind, match_number_of, read_record
from arena.match.ports import MatchId
from arena.store.journal_file import read_records


@dataclass(frozen=True, slots=True)
class JournaledMatch:
    """A match that began in a journal."""

    match_id: MatchId
    number: int
    """Number of the match in this journal."""
    terms: Mapping[str, Any]
    path: Path


class JournalReader:
    """A journal's records as far as they can be read. Damage does not raise; `remark` describes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.remark = ""
        """What was dropped, known after the iteration; empty if nothing was."""

    def __iter__(self) -> Iterator[bytes]:
        records = read_records(self.path)
        try:
            yield from records
        except JournalError as fault:
            self.remark = f"{fault}; what stands behind is not shown"
        if records.has_torn_tail:
            count = records.dropped_byte_count
            self.remark = f"{self.path.name} ends in the middle of a group: its last {count} bytes are dropped"


def journal_files(folder: Path) -> list[Path]:
    """Return the journals of a data folder, newest first."""
    return sorted((folder / "journals").glob("*.journal"), reverse=True)


def journals_by_start(folder: Path) -> list[list[Path]]:
    """Return the journals grouped by server start, newest first: each node wrote one.

    A journal is called after its node's start, as a match is, and after the number of the server's; of two server
    starts one is over before the other begins. Older versions had one journal a start, and no number.
    """
    return [list(paths) for _, paths in groupby(journal_files(folder), lambda path: path.stem[ID_LENGTH:] or path.stem)]


def journaled_matches(path: Path) -> list[JournaledMatch]:
    """Return the matches that began in a journal, in order, without those this version cannot read."""
    found = []
    for record in JournalReader(path):
        if record[:1] == _BEGIN_PREFIX:
            try:
                begin = read_record(record)
            except JournalError:
                continue
            if isinstance(begin, Begin):
                found.append(JournaledMatch(begin.match_id, match_number_of(record), begin.terms, path))
    return found


def read_match_records(reading: JournalReader, numbers: Collection[int]) -> dict[int, list[bytes]]:
    """Return the records of some matches of a journal, by number."""
    kept: dict[int, list[bytes]] = {number: [] for number in numbers}
    for record in reading:
        number = match_number_of(record)
        if number in kept:
            kept[number].append(record)
    return kept


def iter_match_records(path: Path, numbers: Collection[int]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the records of many matches of a journal, by number, each match as soon as it is complete.

    The journal is read twice, so that no more is in memory than what was played at one time.
    """
    wanted = frozenset(numbers)
    sizes = Counter(number for number in map(match_number_of, JournalReader(path)) if number in wanted)
    kept: defaultdict[int, list[bytes]] = defaultdict(list)
    for record in JournalReader(path):
        number = match_number_of(record)
        if number in sizes:
            kept[number].append(record)
            if len(kept[number]) == sizes[number]:
                yield number, kept.pop(number)


_BEGIN_PREFIX = bytes((InputKind.BEGIN,))
