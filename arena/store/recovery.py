"""What a killed server or node left behind: its matches are closed by rule before a new one begins.

A match without its end is void from the game that ran when the server died: finished games keep their results, the
match ends as `interrupted`, and its deal is opened. Nothing that was acknowledged is lost; it stays in the journal, and
replays show it.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import structlog

from arena.errors import ArenaError, JournalError
from arena.match.archive import Record, by_match, derive
from arena.match.deal import prepare, revealed
from arena.match.deal_values import describe_revealed, secret_from
from arena.match.facts import DealRevealed
from arena.match.inputs import Kind, read
from arena.match.ports import DealRow, MatchRow, Signer
from arena.match.replay import Replay
from arena.rules.game import Game
from arena.store.deals import SqlDeals
from arena.store.journal_file import read_records
from arena.store.results import SqlResults

log = structlog.get_logger(__name__)


async def close_interrupted(results: SqlResults, journals: Path, games: Mapping[str, Game], journal: str = "") -> int:
    """Store the end of every match that a killed server left running; gives how many there were.

    `journal` is that of a single killed node; empty: all are.
    """
    left = [row for row in await results.running() if journal in ("", row.journal)]
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


async def open_left_deals(
    deals: SqlDeals, journals: Path, games: Mapping[str, Game], signer: Signer | None, journal: str = ""
) -> int:
    """Open every deal of a killed server, or of one node's `journal`: no game will use it again. Gives their number."""
    left = [row for row in await deals.hidden() if journal in ("", row.journal)]
    records: dict[str, dict[int, list[bytes]]] = {}
    for row in left:
        if row.journal not in records:
            records[row.journal] = _read(journals / row.journal)
        opened = _opened(row, records[row.journal].get(row.match_number, []), games, signer)
        if opened is not None:
            await deals.reveal(row.match_id, describe_revealed(opened))
    if left:
        log.warning("deals of a killed server opened", deals=len(left))
    return len(left)


def _opened(
    row: DealRow, records: list[bytes], games: Mapping[str, Game], signer: Signer | None
) -> DealRevealed | None:
    """What a deal is opened with, from its match's records; None where the journal no longer has it."""
    first = read(records[0]) if records else None
    if first is None or first.kind is not Kind.DEAL or first.begin is None:
        log.error("deal cannot be opened: its journal does not have it", match=row.match_id)
        return None
    secret = secret_from(first.begin)
    try:
        replay = Replay(records, games) if len(records) > 1 else None
        prepared = None if replay is None else prepare(secret, replay.contributions, replay.terms, signer)
    except (ArenaError, KeyError) as error:
        log.warning("deal opened without its cards", match=row.match_id, fault=str(error))
        prepared = None
    return revealed(secret, prepared)


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
