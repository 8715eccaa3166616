"""What a killed server left behind: its matches are closed by rule before a new server begins.

A match without its end is void from the game that ran when the server died: finished games keep their results, the
match ends as `interrupted`. Nothing that was acknowledged is lost; it stays in the journal, and replays show it.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import structlog

from arena.errors import ArenaError, JournalError
from arena.match.archive import Record, by_match, derive
from arena.match.ports import MatchRow
from arena.rules.game import Game
from arena.store.journal_file import read_records
from arena.store.results import SqlResults

log = structlog.get_logger(__name__)


async def close_interrupted(results: SqlResults, journals: Path, games: Mapping[str, Game]) -> int:
    """Store the end of every match that a killed server left running; gives how many there were."""
    left = await results.running()
    records: dict[str, dict[int, list[bytes]]] = {}
    for row in left:
        if row.journal not in records:
            records[row.journal] = _read(journals / row.journal)
        record = _close(row, records[row.journal].get(row.number, []), games)
        await results.add_games(record.games)
        await results.end_match(record.match)
    if left:
        log.warning("matches of a killed server closed as interrupted", matches=len(left))
    return len(left)


def _read(path: Path) -> dict[int, list[bytes]]:
    """A journal's records by match, as far as they can be read."""
    found: list[bytes] = []
    try:
        found.extend(read_records(path))
    except (JournalError, OSError) as error:
        log.warning("journal read in part", journal=path.name, fault=str(error))
    return by_match(found)


def _close(row: MatchRow, records: list[bytes], games: Mapping[str, Game]) -> Record:
    try:
        return derive(row, records, games)
    except (ArenaError, KeyError) as error:
        log.warning("interrupted match has no readable record", match=row.match_id, fault=str(error))
        return Record(replace(row, state="ended", termination="interrupted"), ())
