"""Cleans up after a killed server or node: ends its matches and reveals its deals.

An unfinished match ends as `interrupted`: its finished games keep their results, and its running game is void. Nothing
that was acknowledged is lost: it stays in the journal, and replays show it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import structlog

from arena.errors import ArenaError, JournalError
from arena.match.deal import prepare_deal, reveal_deal
from arena.match.deal_serialization import describe_revealed_deal
from arena.match.facts import DealRevealed
from arena.match.inputs import Deal, read_record
from arena.match.match_record import MatchRecord, derive_match_record, group_by_match
from arena.match.ports import DealRow, MatchRow, Signer
from arena.match.replay import Replay
from arena.rules.game import Game
from arena.store.deal_store import SqlDealStore
from arena.store.journal_file import read_records
from arena.store.result_store import SqlResultStore

log = structlog.get_logger(__name__)


async def close_interrupted_matches(
    results: SqlResultStore, journals: Path, games: Mapping[str, Game], journal: str = ""
) -> int:
    """Store the end of every match that a killed server left running, and return their number.

    With a `journal`, only the matches in this file are closed: those of one killed node.
    """
    left = [row for row in await results.unfinished_matches() if journal in ("", row.journal)]
    read_journal = cache(_read_journal)
    for row in left:
        record = _derive_final_record(row, read_journal(journals / row.journal).get(row.number, []), games)
        await results.add_games(record.games)
        await results.end_match(record.match)
    if left:
        log.warning("matches of a killed server closed as interrupted", matches=len(left))
    return len(left)


async def reveal_abandoned_deals(
    deals: SqlDealStore, journals: Path, games: Mapping[str, Game], signer: Signer | None, journal: str = ""
) -> int:
    """Reveal every deal that a killed server left unrevealed, and return how many there were.

    With a `journal`, only the deals in this file are revealed: those of one killed node.
    """
    left = [row for row in await deals.unrevealed_deals() if journal in ("", row.journal)]
    read_journal = cache(_read_journal)
    for row in left:
        records = read_journal(journals / row.journal).get(row.match_number, [])
        revealed = _rebuild_reveal(row, records, games, signer)
        if revealed is not None:
            await deals.reveal(row.match_id, describe_revealed_deal(revealed))
    if left:
        log.warning("deals of a killed server revealed", deals=len(left))
    return len(left)


def _rebuild_reveal(
    row: DealRow, records: list[bytes], games: Mapping[str, Game], signer: Signer | None
) -> DealRevealed | None:
    """Return a revealed deal, rebuilt from its match's records; None if the journal does not hold its secret."""
    first = read_record(records[0]) if records else None
    if not isinstance(first, Deal):
        log.error("deal cannot be revealed: its journal does not have it", match=row.match_id)
        return None
    secret = first.secret
    try:
        replay = Replay(records, games) if len(records) > 1 else None
        prepared = None if replay is None else prepare_deal(secret, replay.begin.contributions, replay.terms, signer)
    except (ArenaError, KeyError, ValueError) as error:
        log.warning("deal revealed without its cards", match=row.match_id, fault=str(error))
        prepared = None
    return reveal_deal(secret, prepared)


def _read_journal(path: Path) -> dict[int, list[bytes]]:
    """Return a journal's records by match number, up to the first record that cannot be read."""
    records: list[bytes] = []
    try:
        records.extend(read_records(path))
    except (JournalError, OSError) as error:
        log.warning("journal read in part", journal=path.name, fault=str(error))
    return group_by_match(records)


def _derive_final_record(row: MatchRow, records: list[bytes], games: Mapping[str, Game]) -> MatchRecord:
    """Return the final record of an interrupted match. It has no games if its records cannot be replayed."""
    try:
        return derive_match_record(row, records, games)
    except (ArenaError, KeyError, ValueError) as error:
        log.warning("interrupted match has no readable record", match=row.match_id, fault=str(error))
        return MatchRecord(replace(row, state="ended", termination="interrupted"), ())
