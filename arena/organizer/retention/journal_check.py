"""Checks a journal before it is packed: everything in it has to be over, and as the store has it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.errors import JournalError
from arena.match.game import Game
from arena.match.referee.deal import GIVEN_DEAL_ID, SHARED_DEAL_PREFIX
from arena.match.referee.ports import DealRow, MatchId
from arena.organizer.audit.findings import AuditReport
from arena.organizer.audit.match_audit import find_secret
from arena.organizer.audit.record_audit import UNREADABLE, RecordAudit, is_shared, scan_journal
from arena.organizer.seal.ledger_entries import is_closed
from arena.replays.library.journals import iter_match_records
from arena.server.store.open_store import Store


class Kept(NamedTuple):
    """Why a journal stays a file."""

    reason: str
    """One sentence."""
    is_fault: bool = False
    """Whether `arena audit` would find it too; otherwise something is only not over yet."""


class JournalCheck:
    """Checks the journals of a store. Leagues are read once, so make one for each round of packing."""

    def __init__(self, store: Store, games: Mapping[str, Game]) -> None:
        self._store = store
        self._games = games
        self._open_leagues: dict[str, bool] = {}
        """By the id of a league: whether it may still deal, or is not in the store."""

    async def why_kept(self, journal: Path) -> Kept | None:
        """Return why a journal has to stay a file; None if it may be packed. Raises StoreError.

        Every match in it is played again and compared with the store, as `arena audit` does it.
        """
        contents = scan_journal(journal)
        if contents is None or contents.damage:
            return Kept(contents.damage if contents else "it is gone", is_fault=True)
        audit = RecordAudit(self._store, self._games, AuditReport())
        for number, records in iter_match_records(journal, contents.numbers):
            match_id = contents.started.get(number) or _id_of_unplayed(records)
            if match_id is None:
                continue
            try:
                kept = await self._check_match(
                    audit, match_id, journal.name, records, has_started=number in contents.started
                )
            except UNREADABLE as error:
                return Kept(f"match {match_id} cannot be read: {error}", is_fault=True)
            if kept is not None or audit.report.findings:
                return kept or Kept(str(audit.report.findings[0]), is_fault=True)
        return None

    async def _check_match(
        self, audit: RecordAudit, match_id: MatchId, journal: str, records: Sequence[bytes], *, has_started: bool
    ) -> Kept | None:
        """Return what is not over, or None and perhaps a finding in the report. Raises what UNREADABLE lists."""
        stored = await audit.read_match(match_id)
        if stored is None and has_started:
            return Kept(f"match {match_id} began in it and is not in the store", is_fault=True)
        if stored is not None and stored.match.journal != journal:
            return None  # a later server took it up and has all of its records
        if stored is not None and not stored.is_over:
            return Kept(f"match {match_id} has not ended")
        deal = await self._store.deals.deal(match_id)
        if deal is not None and deal.revealed is None:
            return Kept(f"the deal of match {match_id} is not revealed yet")
        if deal is not None and is_shared(deal) and await self._is_league_open(deal):
            return Kept(f"the league of match {match_id} is not closed")
        if stored is not None:
            audit.audit_match(stored, records, {} if deal is None else {match_id: deal})
        elif deal is not None and deal.journal == journal:
            audit.audit_deal(deal, records)
        return None

    async def _is_league_open(self, deal: DealRow) -> bool:
        league_id = deal.deal_id.removeprefix(SHARED_DEAL_PREFIX).partition(".")[0]
        if league_id not in self._open_leagues:
            name = (await self._store.leagues.names_by_id()).get(league_id)
            acts = () if name is None else await self._store.leagues.ledger_entries(name)
            self._open_leagues[league_id] = not is_closed(acts)
        return self._open_leagues[league_id]


def _id_of_unplayed(records: Sequence[bytes]) -> MatchId | None:
    """Return the match for which a deal was prepared that never began; None if the records do not tell.

    The id of a deal is that of its match, unless a league shares it or the user gave its seed.
    """
    try:
        secret = find_secret(records)
    except JournalError:
        return None
    if secret is None or secret.is_shared or secret.deal_id == GIVEN_DEAL_ID:
        return None
    return MatchId(secret.deal_id)
