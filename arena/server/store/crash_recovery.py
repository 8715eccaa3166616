"""Cleans up after a stopped server or node.

Finds the matches that will be continued. Ends the other matches, and reveals their deals.

A match of `arena serve` will be continued where it stopped, because its journal says who plays it. Any other unfinished
match ends as `interrupted`: its finished games keep their results, and its running game is void. No acknowledged
decision is lost: it stays in the journal, and replays show it.
"""

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError, JournalError
from arena.log_lines import get_logger
from arena.match.game import Game
from arena.match.referee.deal import DealSecret, PreparedDeal, ReceiptIssuer, prepare_deal, reveal_deal
from arena.match.referee.deal_serialization import describe_revealed_deal
from arena.match.referee.facts import DealRevealed
from arena.match.referee.inputs import Deal, read_record
from arena.match.referee.interrupted_match import InterruptedMatch
from arena.match.referee.match_offer import MatchOffer, read_offers
from arena.match.referee.match_record import MatchRecord, derive_match_record, group_by_match, new_match_row
from arena.match.referee.ports import DealRow, MatchId, MatchRow, Signer
from arena.match.referee.replay import Replay
from arena.match.referee.terms import terms_from_plain
from arena.server.store.deal_store import SqlDealStore
from arena.server.store.journal_file import is_journal, read_records
from arena.server.store.result_store import SqlResultStore

log = get_logger(__name__)


class _Journal(NamedTuple):
    """The content of a journal by match number."""

    matches: Mapping[int, list[bytes]]
    offers: Mapping[int, MatchOffer]


class JournalCache:
    """Reads the journals of a folder, each once. Make one for each recovery, because journals grow and it does not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journals: dict[str, _Journal] = {}

    def read(self, name: str) -> _Journal:
        if name not in self._journals:
            self._journals[name] = _read_journal(self._folder / name)
        return self._journals[name]


def warn_of_strange_journals(journals: Path) -> None:
    """Log a warning for each file in the journals' folder that is not a journal of this version.

    Only the first bytes are read. The records of a journal that a match or deal needs are checked when they are read.
    """
    for path in sorted(journals.glob("*.journal")):
        try:
            fault = "" if is_journal(path) else "it is not a journal that this version reads"
        except OSError as error:
            fault = error.strerror or str(error)
        if fault:
            log.warning("journal ignored: matches that it may have held are unknown", journal=path.name, fault=fault)


async def find_interrupted_matches(
    results: SqlResultStore, deals: SqlDealStore, journals: JournalCache, games: Mapping[str, Game]
) -> dict[MatchId, InterruptedMatch]:
    """Return the matches that the next `arena serve` takes up, oldest first. Store those that were only offered.

    The search goes through the unrevealed deals, because every offered match has one. A match whose records cannot be
    read is left out.
    """
    found = {}
    rows = []
    for row in await deals.unrevealed_deals():
        journal = journals.read(row.journal)
        offer, records = journal.offers.get(row.match_number), journal.matches.get(row.match_number, [])
        if offer is None or not records:
            continue
        try:
            match = _read_interrupted_match(offer, records, games)
        except (ArenaError, KeyError, ValueError) as error:
            log.warning("interrupted match cannot be read", match=row.match_id, fault=str(error))
            log.debug("why it cannot be read", match=row.match_id, exc_info=error)
            continue
        found[row.match_id] = match
        number, created_at = row.match_number, offer.created_at
        rows.append(new_match_row(row.match_id, number, match.terms, row.journal, created_at))
    await asyncio.gather(*map(results.add_match, rows))
    return found


def _read_interrupted_match(offer: MatchOffer, records: Sequence[bytes], games: Mapping[str, Game]) -> InterruptedMatch:
    first = read_record(records[0])
    if not isinstance(first, Deal):
        raise JournalError("its first record is not its deal")
    return InterruptedMatch(offer, terms_from_plain(offer.terms, games), first.secret, records)


async def close_interrupted_matches(
    results: SqlResultStore,
    journals: JournalCache,
    games: Mapping[str, Game],
    journal: str = "",
    except_for: Container[MatchId] = (),
) -> int:
    """Store the end of every match that a killed server left running, and return their number.

    If `journal` is given, only the matches in this file are closed. They are the matches of one killed node. Matches in
    `except_for` are not closed, because they will be continued.
    """
    left = [row for row in await results.unfinished_matches() if journal in ("", row.journal)]
    left = [row for row in left if row.match_id not in except_for]
    for row in left:
        record = _derive_final_record(row, journals.read(row.journal).matches.get(row.number, []), games)
        await results.add_games(row, record.games)
        await results.end_match(record.match)
    if left:
        log.warning("matches of a killed server closed as interrupted", matches=len(left))
    return len(left)


async def close_match(
    results: SqlResultStore,
    deals: SqlDealStore,
    journals: Path,
    games: Mapping[str, Game],
    signer: Signer | None,
    match_id: MatchId,
) -> None:
    """Reveal the deal of an interrupted match and store the end of the match. Raises StoreError."""
    row, deal = await results.match(match_id), await deals.deal(match_id)
    records = _read_journal(journals / row.journal).matches.get(row.number, [])
    if deal is not None and (revealed := _rebuild_reveal(deal, records, games, signer)) is not None:
        await deals.reveal(match_id, describe_revealed_deal(revealed))
    record = _derive_final_record(row, records, games)
    await results.add_games(row, record.games)
    await results.end_match(record.match)


async def reveal_abandoned_deals(
    deals: SqlDealStore,
    journals: JournalCache,
    games: Mapping[str, Game],
    signer: Signer | None,
    journal: str = "",
    except_for: Container[MatchId] = (),
) -> int:
    """Reveal every deal that a killed server left unrevealed, and return how many there were.

    If `journal` is given, only the deals in this file are revealed. They are the deals of one killed node. The matches
    in `except_for` will be continued, so their deals stay secret.
    """
    left = [row for row in await deals.unrevealed_deals() if journal in ("", row.journal)]
    left = [row for row in left if row.match_id not in except_for]
    reveals = []
    for row in left:
        records = journals.read(row.journal).matches.get(row.match_number, [])
        revealed = _rebuild_reveal(row, records, games, signer)
        if revealed is not None:
            reveals.append(deals.reveal(row.match_id, describe_revealed_deal(revealed)))
    await asyncio.gather(*reveals)
    if left:
        log.warning("deals of a killed server revealed", deals=len(left))
    return len(left)


def _rebuild_reveal(
    row: DealRow, records: list[bytes], games: Mapping[str, Game], signer: Signer | None
) -> DealRevealed | None:
    """Return a revealed deal, rebuilt from its match's records; None if the journal lacks the deal's secret."""
    first = read_record(records[0]) if records else None
    if not isinstance(first, Deal):
        log.error("deal cannot be revealed: its journal does not have it", match=row.match_id)
        return None
    try:
        prepared = _prepare_again(first.secret, Replay(records, games), signer) if len(records) > 1 else None
    except (ArenaError, KeyError, ValueError) as error:
        log.warning("deal revealed without its cards", match=row.match_id, fault=str(error))
        prepared = None
    return reveal_deal(first.secret, prepared)


def _prepare_again(secret: DealSecret, replay: Replay, signer: Signer | None) -> PreparedDeal:
    """Return the deal as it was when its match began."""
    begin = replay.begin
    issuer = None if signer is None else ReceiptIssuer(signer, begin.match_id, begin.terms)
    return prepare_deal(secret, begin.contributions, replay.terms, issuer)


def _read_journal(path: Path) -> _Journal:
    """Return a journal up to the first record that cannot be read."""
    records: list[bytes] = []
    reader = read_records(path)
    try:
        records.extend(reader)
    except (JournalError, OSError) as error:
        log.warning("journal read in part", journal=path.name, fault=str(error))
    if reader.has_torn_tail:
        log.warning("journal ends in the middle of a group", journal=path.name, dropped_bytes=reader.dropped_byte_count)
    return _Journal(group_by_match(records), read_offers(records))


def _derive_final_record(row: MatchRow, records: list[bytes], games: Mapping[str, Game]) -> MatchRecord:
    """Return the final record of an interrupted match.

    If the match's records cannot be replayed, the final record has no games.
    """
    try:
        return derive_match_record(row, records, games)
    except (ArenaError, KeyError, ValueError) as error:
        log.warning("interrupted match has no readable record", match=row.match_id, fault=str(error))
        return MatchRecord(replace(row, state="ended", termination="interrupted"), ())
