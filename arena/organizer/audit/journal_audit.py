"""Reads a journal for an audit: which matches it contains, and whether its hash chain is unbroken."""

from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import JournalError
from arena.match.referee.inputs import Begin, InputKind, match_number_of, read_record
from arena.match.referee.ports import MatchId
from arena.server.store.journal_file import read_records

_BEGIN = bytes((InputKind.BEGIN,))


@dataclass(slots=True)
class JournalContents:
    """The contents of a journal."""

    numbers: set[int] = field(default_factory=set)
    """Every match number in the journal."""
    started: dict[int, MatchId] = field(default_factory=dict)
    """The id of each match that began, by number."""
    damage: str = ""
    """Where the journal's hash chain breaks; empty if it is unbroken."""
    torn_bytes: int = 0
    """Bytes after the last whole group, which a killed server leaves."""


def scan_journal(path: Path) -> JournalContents | None:
    """Return the contents of a journal up to its end, or up to its first damage; None if there is no such file."""
    if not path.is_file():
        return None
    contents, records = JournalContents(), read_records(path)
    try:
        for record in records:
            number = match_number_of(record)
            contents.numbers.add(number)
            if record[:1] == _BEGIN:
                begin = read_record(record)
                assert isinstance(begin, Begin)
                contents.started[number] = begin.match_id
    except JournalError as error:
        contents.damage = str(error)
    contents.torn_bytes = records.dropped_byte_count
    return contents
