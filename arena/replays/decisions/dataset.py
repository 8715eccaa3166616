"""Writes the decisions of many matches to one file, match by match, so that memory does not grow with their number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from arena.errors import ArenaError
from arena.match.game import Game
from arena.match.referee.ports import MatchId
from arena.replays.decisions.decision_files import WriteRows
from arena.replays.decisions.decision_table import DecisionRow, decisions_of_entry
from arena.replays.library.library import Library
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.library.match_filter import MatchFilter
from arena.replays.narration.phrasing import Phrasing

PART_ROWS: Final = 10_000
"""Rows that are kept until they are written, about 20 MB. A match more may be kept with them."""


@dataclass(slots=True)
class Dataset:
    """What was written, and what was left out and why."""

    matches: int = 0
    decisions: int = 0
    running: int = 0
    """Matches that still run."""
    sealed: int = 0
    """Matches that are over, and whose cards may still be in play at another table of their league."""
    unreadable: dict[MatchId, str] = field(default_factory=dict)
    """Why a match cannot be replayed."""


class DatasetWriter:
    def __init__(
        self,
        library: Library,
        games: Mapping[str, Game],
        phrasing_of: Callable[[Game], Phrasing],
        write: WriteRows,
        part_rows: int = PART_ROWS,
    ) -> None:
        """`library` needs places, or each match costs a search of its journal."""
        self._library = library
        self._games = games
        self._phrasing_of = phrasing_of
        self._write = write
        self._part_rows = part_rows
        self._rows: list[DecisionRow] = []

    async def write(self, wanted: MatchFilter) -> Dataset:
        """Write the matches that fit a filter, newest first. Matches whose cards are still secret are left out."""
        found = Dataset()
        async for entry in self._library.matches(wanted):
            if entry.state in ("running", "offered"):
                found.running += 1
            elif entry.is_hidden:
                found.sealed += 1
            else:
                self._add(entry, found)
        self._flush()
        return found

    def _add(self, entry: LibraryEntry, found: Dataset) -> None:
        try:
            rows = decisions_of_entry(self._library, entry, self._games, self._phrasing_of)
        except ArenaError as error:  # a journal that is torn costs its match, and no other one
            found.unreadable[entry.match_id] = str(error)
            return
        found.matches, found.decisions = found.matches + 1, found.decisions + len(rows)
        self._rows += rows
        if len(self._rows) >= self._part_rows:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._write(self._rows)
            self._rows = []
