"""Remembers where in the journals the records of each match are, so that one match of very many is found at once.

A journal is searched from its beginning once, and later only from where the last search ended. A search reads about
100 MB in a second, and a match takes some 300 bytes of memory.
"""

from pathlib import Path

from arena.errors import JournalError
from arena.match.referee.inputs import match_number_of
from arena.match.referee.match_offer import is_offer
from arena.server.store.journal_file import GroupPlace, read_records
from arena.server.store.packed_journals import journal_size


class MatchPlaces:
    """The places of matches in the journals of a data folder. Only one thread may use it."""

    def __init__(self) -> None:
        self._journals: dict[Path, _JournalPlaces] = {}

    def records(self, journal: Path, number: int) -> list[bytes]:
        """Return the records of a match so far; none if the journal does not have the match.

        Raises JournalError if the journal is damaged.
        """
        return self._journals.setdefault(journal, _JournalPlaces(journal)).records(number)


class _JournalPlaces:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._end: GroupPlace | None = None
        """Where the last search ended; None before the first one."""
        self._spans: dict[int, tuple[GroupPlace, int]] = {}
        """By the number of a match: its first group, and the offset of its last one."""

    def records(self, number: int) -> list[bytes]:
        """Return the records of a match, without offers."""
        self._search()
        if number not in self._spans:
            return []
        first, last = self._spans[number]
        reader, found = read_records(self._path, first), list[bytes]()
        for record in reader:
            if reader.place is not None and reader.place.offset > last:
                break
            if match_number_of(record) == number and not is_offer(record):
                found.append(record)
        return found

    def _search(self) -> None:
        """Note the places of the records that are new. A file that was cut off meanwhile is searched anew."""
        if self._end is not None and journal_size(self._path) == self._end.offset:
            return  # in a packed journal, the way to its end is long
        try:
            self._continue_search()
        except JournalError:
            if self._end is None:
                raise
            self._end = None
            self._spans.clear()
            self._continue_search()

    def _continue_search(self) -> None:
        reader, spans = read_records(self._path, self._end), self._spans
        place, seen = self._end, set[int]()
        for record in reader:
            if reader.place is not place:
                place = reader.place
                seen.clear()
            number = match_number_of(record)
            if number not in seen and place is not None:
                seen.add(number)
                spans[number] = (spans[number][0] if number in spans else place, place.offset)
        self._end = reader.place
