"""The records of unfinished blocks in the journals of nodes that have ended.

Each journal is read only once for all blocks, because it may have many gigabytes. Only a few games of it are needed.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from arena.competition.league.ports import BlockRow
from arena.match.referee.ports import MatchId
from arena.replays.library.journals import JournalReader, journaled_matches, read_match_records

MatchRecords = Mapping[MatchId, Sequence[bytes]]


class ResumableRecords:
    """Reads the records of one league's unfinished matches."""

    def __init__(self, journals: Path, unfinished_matches: Callable[[], Collection[MatchId]]) -> None:
        """`unfinished_matches` returns the matches of all blocks that are not done."""
        self._folder = journals
        self._unfinished_matches = unfinished_matches
        self._read: dict[str, asyncio.Task[MatchRecords]] = {}

    async def records_for(self, row: BlockRow) -> MatchRecords:
        """Return the records of a block's matches, from all its journals but the newest.

        If several journals have records of a match, the longest are returned.
        """
        found: dict[MatchId, Sequence[bytes]] = {}
        for name in row.journals[:-1]:  # no node writes to these any more
            if name not in self._read:
                reading = asyncio.to_thread(_read, self._folder / name, frozenset(self._unfinished_matches()))
                self._read[name] = asyncio.create_task(reading)
            records = await asyncio.shield(self._read[name])
            for match_id in row.matches:
                found[match_id] = max(found.get(match_id, ()), records.get(match_id, ()), key=len)
        return found


def _read(path: Path, wanted: Collection[MatchId]) -> MatchRecords:
    """Return the records of the wanted matches that began in a journal. A part that cannot be read is left out."""
    ids = {begun.number: begun.match_id for begun in journaled_matches(JournalReader(path)) if begun.match_id in wanted}
    return {ids[number]: records for number, records in read_match_records(JournalReader(path), ids).items()}
