"""Finds the matches of a data folder in its store, or in its journals if the server has not stored them.

This module writes nothing, so it can be used while a server runs on the folder.
"""

from collections.abc import AsyncGenerator, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.competition.league.points import came_last
from arena.errors import JournalError, RequestError, UnknownNameError
from arena.ids import ID_LENGTH, id_time
from arena.match.deal.commitment import GENESIS_LINK
from arena.match.game import Game
from arena.match.referee.match_record import strike_counts_of
from arena.match.referee.ports import DealRow, GameRow, MatchId, MatchRow, MatchSummary
from arena.match.referee.replay import Replay
from arena.match.referee.strike_record import StrikeRecord
from arena.plain_data import from_plain
from arena.replays.library.journals import (
    JournaledMatch,
    JournalReader,
    iter_match_records,
    journal_files,
    journaled_matches,
    journals_by_start,
    read_match_records,
)
from arena.replays.library.library_entry import LibraryEntry, MatchSource, journaled_deal_id, with_source
from arena.replays.library.match_filter import EVERY_MATCH, MatchFilter
from arena.replays.library.match_places import MatchPlaces
from arena.server.store.data_folder import JOURNALS_FOLDER, is_folder_locked
from arena.server.store.open_store import Store
from arena.server.store.packed_journals import describe_missing, has_journal

_MIN_PAGE: Final = 20
_MAX_PAGE: Final = 500
"""Matches that are read from the store at a time."""


class Library:
    def __init__(
        self, folder: Path, store: Store | None, games: Mapping[str, Game], places: MatchPlaces | None = None
    ) -> None:
        """Prepare to read the matches of a folder. `store` is None if the folder has no store.

        `places` finds the records of matches; None if so few are read that a search of their journals is faster.
        """
        self.folder = folder
        self.damage: dict[Path | MatchId, str] = {}
        """What is wrong with the journals that were searched, and with the stored matches that were listed."""
        self._store = store
        self._games = games
        self._places = places
        self._searched: dict[Path, list[JournaledMatch]] = {}

    async def newest(self, limit: int, wanted: MatchFilter = EVERY_MATCH) -> list[LibraryEntry]:
        """Return the newest matches that fit a filter, newest first, with their results.

        If only matches of the source `match` are wanted, the journals of leagues and comparisons are not searched.
        """
        found: list[LibraryEntry] = []
        async with aclosing(self.matches(wanted, min(max(limit, _MIN_PAGE), _MAX_PAGE))) as matches:
            async for entry in matches:
                found.append(entry)
                if len(found) == limit:
                    break
        return found

    async def matches(
        self, wanted: MatchFilter = EVERY_MATCH, page_size: int = _MAX_PAGE
    ) -> AsyncGenerator[LibraryEntry, None]:
        """Yield the matches that fit a filter, newest first, with their results; `page_size` are read at a time."""
        leagues = {} if self._store is None else await self._store.leagues.names_by_id()
        before: MatchId | None = None
        while page := await self._page(page_size, before, with_shared=wanted.source is not MatchSource.MATCH):
            for entry in filter(wanted.accepts, (with_source(entry, leagues) for entry in page)):
                yield entry
            if len(page) < page_size or not any(wanted.accepts_time(entry.created_at) for entry in page):
                break
            before = page[-1].match_id

    async def count_shared(self) -> int:
        """Return how many matches of leagues and comparisons there are."""
        return 0 if self._store is None else len(await self._store.deals.shared_matches())

    async def find(self, prefix: str) -> LibraryEntry:
        """Return the match whose id starts with this text.

        Raises UnknownNameError if there is no such match, and RequestError if there are several.
        """
        prefix = prefix.strip().upper()
        stored = [] if self._store is None else await self._store.results.match_ids(prefix, 2)
        if MatchId(prefix) in stored:
            return await self._find_stored(MatchId(prefix))
        journaled = {
            match.match_id: match for path in journal_files(self.folder) for match in self._search_journal(path)
        }
        found = sorted({*stored, *(match_id for match_id in journaled if match_id.startswith(prefix))})
        if not prefix or not found:
            raise UnknownNameError("match", prefix)
        if len(found) > 1:
            raise RequestError(f"several matches begin with {prefix!r}, such as {found[0]} and {found[1]}")
        if found[0] in stored:
            return await self._find_stored(found[0])
        return await self._with_deal(self._unfinished_entries([journaled[found[0]]], [])[found[0]])

    def records(self, entry: LibraryEntry) -> tuple[list[bytes], str]:
        """Return the available records of a match, and a remark that says what is missing.

        Raises RequestError while other games may still use the match's deal.
        """
        _refuse_hidden(entry)
        if not has_journal(entry.journal):
            return [], describe_missing(entry.journal)
        if self._places is not None:
            with suppress(JournalError):  # below, a damaged journal is read up to its damage
                return self._places.records(entry.journal, entry.number), ""
        reader = JournalReader(entry.journal)
        return read_match_records(reader, [entry.number])[entry.number], reader.remark

    def count_finished(self, entry: LibraryEntry) -> int:
        """Return how many games of a match are over and may be seen, also of one that runs: its journal has them."""
        if entry.is_stored:
            return entry.games_finished
        return 0 if entry.is_hidden else self._with_progress(entry, self.records(entry)[0]).games_finished

    def all_records(self, entries: Iterable[LibraryEntry]) -> Iterator[tuple[LibraryEntry, list[bytes]]]:
        """Yield matches with their available records, journal by journal; within a journal, in order of their ends."""
        by_journal: dict[Path, dict[int, LibraryEntry]] = {}
        for entry in entries:
            by_journal.setdefault(entry.journal, {})[entry.number] = entry
        for path, by_number in by_journal.items():
            if has_journal(path):
                yield from ((by_number[number], records) for number, records in iter_match_records(path, by_number))

    def ended_entry(self, summary: MatchSummary) -> LibraryEntry:
        """Return a match that has ended, as the store has it."""
        row, games, seats = summary.row, summary.games, range(len(summary.row.entrants))
        return replace(
            self._entry(row.match_id, row.terms, self._journal(row), row.number),
            created_at=row.created_at,
            state=row.termination,
            is_stored=True,
            place_sums=tuple(sum(game.places[entrant] for game in games) for entrant in seats),
            games_finished=len(games),
            strikes=row.strikes,
            faults=from_plain(row.faults, tuple[StrikeRecord, ...]),
            deal=summary.deal,
            lost_games=_lost_games(len(row.entrants), [(game.game, game.places) for game in games]),
        )

    def stored_entry(self, summary: MatchSummary) -> LibraryEntry:
        """Return a match as the store has it. One that has not ended has no results."""
        row = summary.row
        if row.state == "ended":
            return self.ended_entry(summary)
        entry = self._entry(row.match_id, row.terms, self._journal(row), row.number)
        faults = from_plain(row.faults, tuple[StrikeRecord, ...])
        return replace(entry, created_at=row.created_at, state="running", faults=faults, deal=summary.deal)

    async def games(self, entry: LibraryEntry) -> Sequence[GameRow]:
        """Return the stored games of a match. Raises RequestError while other games may still use its deal."""
        _refuse_hidden(entry)
        return [] if self._store is None else await self._store.results.games(entry.match_id)

    async def previous_link(self, deal: DealRow) -> bytes:
        """Return the chain link of the deal before this one."""
        return GENESIS_LINK if self._store is None else await self._store.deals.link(deal.number - 1)

    async def chain(self) -> Sequence[DealRow]:
        """Return all commitments, in chain order."""
        return [] if self._store is None else await self._store.deals.chain()

    # ---- inside

    async def _find_stored(self, match_id: MatchId) -> LibraryEntry:
        """Return a match that is in the store. Raises RequestError if it has no record yet, StoreDamagedError."""
        assert self._store is not None, "the match is in it"
        summary = await self._store.results.summary(match_id)
        assert summary is not None, "no match leaves the store"
        if summary.row.state == "ended":
            return self.ended_entry(summary)
        journal = self._journal(summary.row)
        journaled = {match.match_id: match for match in self._search_journal(journal)}
        if match_id not in journaled:
            is_there = has_journal(journal)
            why = self.damage.get(journal, "it has no record yet") if is_there else describe_missing(journal)
            raise RequestError(f"match {match_id} cannot be read: {why}")
        (entry,) = self._unfinished_entries([journaled[match_id]], [summary.row]).values()
        return replace(entry, deal=summary.deal)

    async def _with_deal(self, entry: LibraryEntry) -> LibraryEntry:
        deal = None if self._store is None else await self._store.deals.deal(entry.match_id)
        return replace(entry, deal=deal)

    async def _page(self, limit: int, before: MatchId | None, *, with_shared: bool) -> list[LibraryEntry]:
        """Return the newest matches older than `before`, newest first.

        Unless `with_shared`, matches of leagues and comparisons are left out as far as the store knows them.
        """
        stored: Sequence[MatchSummary] = ()
        shared, skipped = frozenset[MatchId](), frozenset[str]()
        if self._store is not None:
            stored = await self._store.results.summaries(limit, before, with_shared=with_shared)
            if not with_shared:
                shared, skipped = await self._store.deals.shared_matches(), await self._store.deals.shared_journals()
        rows = [summary.row for summary in stored]
        self.damage |= {summary.row.match_id: summary.damage for summary in stored if summary.damage}
        ended = {summary.row.match_id: summary for summary in stored if summary.row.state == "ended"}
        journaled = {
            match.match_id: match
            for match in self._find_journaled(limit, before, rows, skipped)
            if match.match_id not in shared | ended.keys()
        }
        is_served = is_folder_locked(self.folder)
        unrecorded = {
            each.row.match_id: replace(self.stored_entry(each), state="offered" if is_served else "interrupted")
            for each in stored
            if each.row.match_id not in ended.keys() | journaled.keys()
        }
        newest = sorted({*ended, *journaled, *unrecorded}, reverse=True)[:limit]
        open_ones = unrecorded | self._unfinished_entries(
            [journaled[match_id] for match_id in newest if match_id in journaled], rows
        )
        return [
            self.ended_entry(ended[match_id]) if match_id in ended else await self._with_deal(open_ones[match_id])
            for match_id in newest
        ]

    def _find_journaled(
        self, limit: int, before: MatchId | None, rows: Sequence[MatchRow], skipped: Container[str]
    ) -> list[JournaledMatch]:
        """Return the matches older than `before` that began in the newest journals, without the `skipped` ones.

        Read as many journals as needed for `limit` matches. A journal's name starts with the id of its node's start,
        and server starts do not overlap in time. Every match of an unread journal is therefore older than every journal
        that was read.
        """
        matches: list[JournaledMatch] = []
        for paths in journals_by_start(self.folder):
            new = [match for path in paths if path.name not in skipped for match in self._search_journal(path)]
            matches += [match for match in new if before is None or match.match_id < before]
            match_ids = {match.match_id for match in matches} | {row.match_id for row in rows}
            oldest = paths[-1].stem[:ID_LENGTH]
            if id_time(oldest) is not None and sum(match_id > oldest for match_id in match_ids) >= limit:
                break
        return matches

    def _search_journal(self, path: Path) -> list[JournaledMatch]:
        """Return the matches that began in a journal, and note its damage. Each journal is searched once."""
        if path not in self._searched:
            reader = JournalReader(path)
            self._searched[path] = journaled_matches(reader)
            if reader.is_damaged:
                self.damage[path] = reader.remark
        return self._searched[path]

    def _journal(self, row: MatchRow) -> Path:
        return self.folder / JOURNALS_FOLDER / Path(row.journal).name

    def _unfinished_entries(
        self, journaled: Sequence[JournaledMatch], rows: Iterable[MatchRow]
    ) -> dict[MatchId, LibraryEntry]:
        """Return matches whose end is not in the store. Each has its progress up to the end of its journal."""
        dates = {row.match_id: row.created_at for row in rows}
        entries: dict[MatchId, LibraryEntry] = {}
        for path in {match.path for match in journaled}:
            here = [match for match in journaled if match.path == path]
            records = read_match_records(JournalReader(path), {match.number for match in here})
            for match in here:
                entry = self._entry(match.match_id, match.terms, path, match.number)
                entry = self._with_progress(entry, records[match.number])
                entries[match.match_id] = replace(entry, deal_id=journaled_deal_id(records[match.number]))
        return {
            match_id: replace(entry, created_at=dates.get(match_id, entry.created_at))
            for match_id, entry in entries.items()
        }

    def _entry(self, match_id: MatchId, terms: Mapping[str, Any], journal: Path, number: int) -> LibraryEntry:
        return LibraryEntry(
            match_id=match_id,
            created_at=id_time(match_id),
            preset=terms["preset"],
            terms=terms,
            entrants=tuple(terms["entrants"]),
            journal=journal,
            number=number,
            state="interrupted",
            is_stored=False,
        )

    def _with_progress(self, entry: LibraryEntry, records: Sequence[bytes]) -> LibraryEntry:
        """Return the match with its progress. A match under rules that this version lacks is returned unchanged."""
        if not can_replay(entry, self._games):
            return entry
        replay = Replay(records, self._games)
        for _ in replay.moments():
            pass
        referee, state = replay.referee, "interrupted"
        if referee.ended is not None:
            state = referee.ended.termination
        elif is_folder_locked(self.folder) and entry.journal in next(iter(journals_by_start(self.folder)), ()):
            state = "running"
        return replace(
            entry,
            state=state,
            place_sums=referee.place_sums(),
            games_finished=len(referee.results),
            strikes=strike_counts_of(referee),
            lost_games=_lost_games(
                len(entry.entrants), [(number, result.places) for number, result in enumerate(referee.results)]
            ),
        )


def _refuse_hidden(entry: LibraryEntry) -> None:
    if entry.is_hidden:
        raise RequestError(
            f"match {entry.match_id} shares its cards with other games: it can be read once they have all ended"
        )


def can_replay(entry: LibraryEntry, games: Mapping[str, Game]) -> bool:
    """Return whether this version of the arena has the rules of a match."""
    game = games.get(entry.terms["game"])
    return game is not None and game.version == entry.terms["rules_version"]


def _lost_games(entrants: int, games: Sequence[tuple[int, Sequence[int]]]) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the games in which each entrant came last. Each game has its number and places."""
    return tuple(tuple(number for number, places in games if came_last(places, entrant)) for entrant in range(entrants))
