"""Audits single matches and deals: compares what the store has with the records of a journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.errors import JournalError, RequestError, StoreError
from arena.match.game import Game
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.inputs import Begin, InputKind, match_number_of, read_record
from arena.match.referee.ports import DealRow, MatchId
from arena.organizer.audit.deal_audit import KeyAudit, compare_deal, has_deal
from arena.organizer.audit.findings import AuditReport
from arena.organizer.audit.match_audit import can_play_again, compare_match
from arena.organizer.play.void_check import StoredMatch
from arena.server.store.journal_file import read_records
from arena.server.store.open_store import Store
from arena.server.store.packed_journals import has_journal

UNREADABLE: Final = (StoreError, RequestError, ValueError, LookupError)
"""Errors from reading a row that somebody has edited so that it is no longer valid, or that a newer release wrote."""
_BEGIN: Final = bytes((InputKind.BEGIN,))


class RecordAudit:
    """Audits matches and deals one by one, and adds what it finds to a report."""

    def __init__(self, store: Store, games: Mapping[str, Game], report: AuditReport) -> None:
        self.report = report
        self.key = KeyAudit(store.folder)
        self._store = store
        self._games = games

    async def read_match(self, match_id: MatchId) -> StoredMatch | None:
        """Return a match of the store; None if there is none. Raises what UNREADABLE lists."""
        found = await self._store.results.matches_with_games([match_id])
        return StoredMatch(*found[match_id]) if match_id in found else None

    def audit_match(self, stored: StoredMatch, records: Sequence[bytes], deals: Mapping[MatchId, DealRow]) -> None:
        """Compare a stored match, its games and its deal, which is one of `deals`, with the records of the match."""
        subject = f"match {stored.match.match_id}"
        self.report.matches += 1
        self.report.games += len(stored.games)
        for sentence in compare_match(stored.match, stored.games, records, self._games):
            self.report.add(subject, sentence)
        if not can_play_again(stored.match.terms, self._games):
            self.report.note(subject, f"this version does not play rules {stored.match.terms['rules_version']}")
        if not stored.is_over:
            self.report.note(subject, "it has not ended: the next server takes it up or ends it")
        self._audit_deal_of(stored, records, deals)

    def audit_deal(self, row: DealRow, records: Sequence[bytes]) -> None:
        for sentence in compare_deal(row, records, self._games, self.key.check):
            self.report.add(f"deal {row.number}", sentence)

    def _audit_deal_of(self, stored: StoredMatch, records: Sequence[bytes], deals: Mapping[MatchId, DealRow]) -> None:
        """Check the deal of a match. Every match has a deal, which is revealed before the match is stored as ended."""
        deal = deals.get(stored.match.match_id)
        if deal is not None:
            self.audit_deal(deal, records)
            if not is_shared(deal):
                self._compare_with_match(deal, stored)
        elif deals or has_deal(records):
            self.report.add(f"match {stored.match.match_id}", "its deal is missing from the chain")

    def _compare_with_match(self, deal: DealRow, stored: StoredMatch) -> None:
        """Compare a deal that is not shared with the match that it was made for."""
        match, subject = stored.match, f"deal {deal.number}"
        if (deal.journal, deal.match_number) != (match.journal, match.number):
            self.report.add(subject, "its journal and number are not those of its match")
        if stored.is_over and deal.revealed is None:
            self.report.add(subject, "its match has ended, and it is not revealed")
        elif not stored.is_over and deal.revealed is not None:
            self.report.add(
                f"match {match.match_id}",
                "it is running in the store, and its deal is revealed; if its server was killed at the end of the"
                " match, the next start stores this end",
            )


def is_shared(row: DealRow) -> bool:
    """Return whether this deal belongs to a league, which plays it at several tables and then reveals it."""
    return row.deal_id.startswith(SHARED_DEAL_PREFIX)


@dataclass(slots=True)
class JournalContents:
    numbers: set[int] = field(default_factory=set)
    """Every match number in the journal."""
    started: dict[int, MatchId] = field(default_factory=dict)
    """The id of each match that began, by number."""
    damage: str = ""
    """Where the journal's hash chain breaks; empty if it is unbroken."""
    torn_bytes: int = 0
    """Bytes after the last whole group, which a killed server leaves."""


def scan_journal(path: Path) -> JournalContents | None:
    """Return the contents of a journal up to its end, or up to its first damage; None if there is no such journal."""
    if not has_journal(path):
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
