"""Audits a data folder: journals, matches, games, the chain of deals, the receipt key and the leagues."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from arena.competition.league.ports import OPEN, BlockRow
from arena.match.game import Game
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.match_offer import is_offer
from arena.match.referee.ports import DealRow, MatchId
from arena.organizer.audit.findings import AuditReport
from arena.organizer.audit.league_audit import (
    StoredLeague,
    compare_block,
    compare_block_deals,
    compare_void,
    find_ledger_faults,
    find_missing_deals,
)
from arena.organizer.audit.record_audit import UNREADABLE, RecordAudit, is_shared, scan_journal
from arena.organizer.play.attendance import has_absence
from arena.organizer.seal.league_files import read_secret, secret_path
from arena.organizer.seal.ledger import VoidForBot, find_voids_for_bots
from arena.organizer.seal.seal import judgement_of
from arena.plurals import format_count
from arena.replays.library.journals import iter_match_records
from arena.replays.proof.verification import find_chain_faults
from arena.server.store.open_store import Store
from arena.server.store.packed_journals import find_dropped, list_journals


class StoreAudit:
    """Audits one store. Nobody may write to the store during the audit."""

    def __init__(self, store: Store, games: Mapping[str, Game]) -> None:
        self.report = AuditReport()
        self._store = store
        self._records = RecordAudit(store, games, self.report)
        self._matches: dict[str, dict[int, MatchId]] = {}
        """The stored matches by journal and number."""
        self._unplayed: dict[str, dict[int, MatchId]] = {}
        """The deals without a stored match, by journal and number."""
        self._stored: frozenset[MatchId] = frozenset()
        self._deals: Mapping[MatchId, DealRow] = {}

    async def run(self) -> AuditReport:
        """Audit everything. Raises StoreError if the store cannot be read at all."""
        await self._audit_chain()
        places = await self._store.results.match_places()
        self._stored = frozenset(places)
        for match_id, (journal, number) in places.items():
            self._add_match(match_id, journal, number)
        for match_id, row in self._deals.items():
            if match_id not in places and not is_shared(row):
                self._unplayed.setdefault(row.journal, {})[row.match_number] = match_id
        for path in self._all_journals():
            await self._audit_journal(path)
        for match_id in await self._store.results.matches_of_games():
            if match_id not in places:
                self.report.add(f"match {match_id}", "the store has games of it, but not the match")
        await self._audit_leagues()
        signed = sum(bool(row.revealed and row.revealed.get("receipts")) for row in self._deals.values())
        for sentence in self._records.key.findings(signed):
            self.report.add("receipt.key", sentence)
        return self.report

    async def _audit_chain(self) -> None:
        try:
            chain = await self._store.deals.chain()
        except UNREADABLE as error:
            self.report.add("deals", f"a row of the chain cannot be read, and no deal is audited: {error}")
            return
        self.report.deals = len(chain)
        self._deals = {row.match_id: row for row in chain}
        for sentence in find_chain_faults(chain):
            self.report.add("deals", sentence)

    # ---- journals and matches

    def _add_match(self, match_id: MatchId, journal: str, number: int) -> None:
        """Note the journal and number of a stored match. Report the match if another one already has both."""
        numbers = self._matches.setdefault(journal, {})
        if number in numbers:
            self.report.add(f"match {match_id}", f"it has the journal and number of the match {numbers[number]}")
        numbers[number] = match_id

    def _all_journals(self) -> Sequence[Path]:
        """Return the journals of the folder, packed or not, and those that the store names, oldest first."""
        here = (each.name for each in list_journals(self._store.folder))
        names = {*self._matches, *self._unplayed, *here}
        return sorted(self._store.journals_folder / Path(name).name for name in names)

    async def _audit_journal(self, path: Path) -> None:
        """Audit a journal, and every match and deal that the store expects in it."""
        subject, matches = f"journal {path.name}", self._matches.get(path.name, {})
        unplayed = self._unplayed.get(path.name, {})
        contents = scan_journal(path)
        if contents is None:
            self._note_missing(
                path, f"{format_count(len(matches), 'match')} and {format_count(len(unplayed), 'unused deal')}"
            )
            return
        self.report.journals += 1
        if contents.damage:
            self.report.add(subject, contents.damage)
        if contents.torn_bytes:
            torn = format_count(contents.torn_bytes, "byte")
            self.report.note(subject, f"it ends with {torn} of a group that was not finished")
        for match_id in contents.started.values():
            if match_id not in self._stored:
                self.report.add(f"match {match_id}", f"it began in {path.name} and is not in the store")
        for number in {*matches, *unplayed} - contents.numbers:
            self.report.add(f"match {(matches | unplayed)[number]}", f"{path.name} has no records of it")
        for number, records in iter_match_records(path, contents.numbers):
            inputs = [record for record in records if not is_offer(record)]
            if number in matches:
                await self._audit_match(matches[number], inputs)
            elif number in unplayed:
                self._records.audit_deal(self._deals[unplayed[number]], inputs)

    def _note_missing(self, path: Path, lost: str) -> None:
        """Report a journal that is not there. If it was dropped by the organizer's term, that is no fault."""
        if (dropped := find_dropped(path)) is None:
            self.report.add(f"journal {path.name}", f"it is missing, with {lost}")
        else:
            self.report.note(f"journal {path.name}", f"it {dropped}, with {lost}, which are not audited")

    async def _audit_match(self, match_id: MatchId, records: Sequence[bytes]) -> None:
        try:
            stored = await self._records.read_match(match_id)
        except UNREADABLE as error:
            self.report.add(f"match {match_id}", f"it cannot be read: {error}")
            return
        assert stored is not None
        self._records.audit_match(stored, records, self._deals)

    # ---- leagues

    async def _audit_leagues(self) -> None:
        """Audit every league, and look for deals whose league is not in the store."""
        league_ids = [await self._audit_league(name) for name in await self._store.leagues.names()]
        for row in self._deals.values():
            if is_shared(row) and not any(
                row.deal_id.startswith(f"{SHARED_DEAL_PREFIX}{each}.") for each in league_ids
            ):
                self.report.add(f"deal {row.number}", "it belongs to a league that is not in the store")

    async def _audit_league(self, name: str) -> str:
        """Compare a league's blocks with their matches, and its deals with its secret. Return the league's id."""
        subject, leagues = f"league {name}", self._store.leagues
        row = await leagues.league(name)
        assert row is not None
        try:
            league = StoredLeague(row, await leagues.ledger_entries(name), await leagues.blocks(name))
            for sentence in (*find_ledger_faults(league), *find_missing_deals(league, self._deals)):
                self.report.add(subject, sentence)
            for block in league.blocks:
                self.report.blocks += 1
                async for sentence in self._compare_block(league, block):
                    self.report.add(subject, f"block {block.number}, attempt {block.attempt}: {sentence}")
            self._audit_league_deals(league)
        except UNREADABLE as error:
            self.report.add(subject, f"it cannot be read: {error}")
        return row.league_id

    async def _compare_block(self, league: StoredLeague, block: BlockRow) -> AsyncIterator[str]:
        matches = [await self._records.read_match(match_id) for match_id in block.matches]
        was_awaited = "dates" in league.row.sealed or has_absence(league.acts, block)
        voids = list[VoidForBot]()
        if block.attempt and judgement_of(league.row).lowers_results:
            before = [row for row in league.blocks if row.number == block.number and row.attempt < block.attempt]
            voids = find_voids_for_bots(league.acts, before)
        for sentence in compare_block(block, matches, was_awaited=was_awaited, voids=voids):
            yield sentence
        for _, act in find_voids_for_bots(league.acts, [block] if block.state == OPEN else []):
            for sentence in compare_void(act, matches, was_awaited=was_awaited):
                yield sentence

    def _audit_league_deals(self, league: StoredLeague) -> None:
        """Compare the deals of a league with the league's secret and its blocks."""
        subject, league_id = f"league {league.row.name}", league.row.league_id
        secret = read_secret(secret_path(self._store, league_id))
        for where, sentence in compare_block_deals(league, secret, self._deals):
            self.report.add(subject, f"{where}: {sentence}")
        known = {match_id for row in league.blocks for match_id in row.matches}
        for match_id, deal in self._deals.items():
            if is_shared(deal) and f":{league_id}." in deal.deal_id and match_id not in known:
                self.report.add(subject, f"deal {deal.number} belongs to a block that is missing from its ledger")
