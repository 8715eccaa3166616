"""Which matches a data folder knows: those in its store, and those that only a journal has because a server was killed.

It writes nothing and works beside a running server.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.deal.commitment import FIRST_LINK
from arena.errors import RequestError, UnknownNameError
from arena.match.archive import strikes_of
from arena.match.deal import SHARED_DEAL
from arena.match.fault import Fault, fault_from
from arena.match.ports import DealRow, GameRow, MatchId, MatchRow
from arena.match.referee import Referee
from arena.match.replay import Replay
from arena.replays.journals import ID_LENGTH, Begun, Reading, begun_in, each_of, journal_files, records_of, starts
from arena.rules.game import Game
from arena.store.lock import is_held
from arena.store.opening import Store

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LAST = "\x7f"
"""Sorts behind everything that an id is made of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A match as a list of replays shows it."""

    match_id: MatchId
    created_at: float | None
    """Seconds since 1970; None: unknown."""
    preset: str
    terms: Mapping[str, Any]
    entrants: tuple[str, ...]
    journal: Path
    number: int
    """In that journal."""
    state: str
    """How it ended; `running`, or `interrupted` where its server ended before it did."""
    is_stored: bool
    """Its end is in the store."""
    place_sums: tuple[int, ...] = ()
    """By entrant, over the games finished."""
    games_finished: int = 0
    strikes: tuple[Mapping[str, int], ...] = ()
    """By entrant."""
    faults: tuple[Fault, ...] = ()
    """Those that its server has kept, with what it saw of them."""
    deal: DealRow | None = None
    """None: nothing was committed, as before there were commitments."""

    @property
    def is_hidden(self) -> bool:
        """Other games may still use its deal."""
        return self.deal is not None and self.deal.deal_id.startswith(SHARED_DEAL) and self.deal.revealed is None

    def as_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return {
            "match_id": self.match_id,
            "created_at": self.created_at,
            "game": self.terms["game"],
            "rules_version": self.terms["rules_version"],
            "preset": self.preset,
            "entrants": list(self.entrants),
            "games_finished": self.games_finished,
            "game_count": self.terms["game_count"],
            "place_sums": list(self.place_sums),
            "state": self.state,
            "is_stored": self.is_stored,
            "strikes": [dict(strikes) for strikes in self.strikes],
            "deal": self._deal_as_dict(),
        }

    def _deal_as_dict(self) -> dict[str, Any] | None:
        if self.deal is None:
            return None
        return {
            "chain_number": self.deal.number,
            "chain_link": self.deal.link.hex(),
            "commitment": self.deal.commitment.hex(),
            "is_opened": self.deal.revealed is not None,
        }


class Library:
    """Everything that a data folder has to tell."""

    def __init__(self, folder: Path, store: Store | None, games: Mapping[str, Game]) -> None:
        """`store`: None where the folder has none."""
        self.folder = folder
        self._store = store
        self._games = games

    async def newest(self, limit: int) -> list[Entry]:
        """The newest matches, newest first, with how they went."""
        rows = [] if self._store is None else list(await self._store.results.matches(limit))
        known = {row.match_id for row in rows if row.state == "ended"}
        begun = {b.match_id: b for b in self._begun(limit, rows) if b.match_id not in known}
        newest = sorted({*known, *begun}, reverse=True)[:limit]
        ended = {row.match_id: await self._ended(row) for row in rows if row.match_id in known & {*newest}}
        open_ones = self._unfinished([begun[match_id] for match_id in newest if match_id in begun], rows)
        return [await self._with_deal(ended.get(match_id) or open_ones[match_id]) for match_id in newest]

    async def find(self, prefix: str) -> Entry:
        """The one match whose id begins so. Raises UnknownNameError, or RequestError where there are several."""
        prefix = prefix.strip().upper()
        rows = [] if self._store is None else await self._store.results.matches(2, before=MatchId(prefix + _LAST))
        stored = {row.match_id: row for row in rows if row.match_id.startswith(prefix)}
        whole = stored.get(MatchId(prefix))
        if whole is not None and whole.state == "ended":
            return await self._with_deal(await self._ended(whole))
        if len(prefix) != ID_LENGTH or not stored:
            begun = {b.match_id: b for path in journal_files(self.folder) for b in begun_in(path)}
        else:
            begun = {b.match_id: b for b in begun_in(self._journal(stored[MatchId(prefix)]))}
        found = sorted({*stored, *(match_id for match_id in begun if match_id.startswith(prefix))})
        if not prefix or not found:
            raise UnknownNameError("match", prefix)
        if len(found) > 1:
            raise RequestError(f"several matches begin with {prefix!r}, such as {found[0]} and {found[1]}")
        row = stored.get(found[0])
        if row is not None and row.state == "ended":
            return await self._with_deal(await self._ended(row))
        return await self._with_deal(self._unfinished([begun[found[0]]], [row] if row else [])[found[0]])

    def records(self, entry: Entry) -> tuple[list[bytes], str]:
        """A match's records, as far as they are kept, and what to say about what is not.

        Raises RequestError while other games may use its cards.
        """
        if entry.is_hidden:
            raise RequestError(
                f"match {entry.match_id} has its cards in common with other games: it is told when the last of them is"
                " over"
            )
        if not entry.journal.is_file():
            return [], f"the journal {entry.journal.name} is not in this data folder"
        reading = Reading(entry.journal)
        return records_of(reading, [entry.number])[entry.number], reading.remark

    def all_records(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, list[bytes]]]:
        """The records of very many matches, in the order in which they ended; of those that are kept."""
        by_journal: dict[Path, dict[int, Entry]] = {}
        for entry in entries:
            by_journal.setdefault(entry.journal, {})[entry.number] = entry
        for path, here in by_journal.items():
            if path.is_file():
                yield from ((here[number], records) for number, records in each_of(path, here))

    async def games(self, entry: Entry) -> Sequence[GameRow]:
        """The games that the store keeps."""
        return [] if self._store is None else await self._store.results.games(entry.match_id)

    async def link_before(self, deal: DealRow) -> bytes:
        """The link of the chain before a deal's."""
        return FIRST_LINK if self._store is None else await self._store.deals.link(deal.number - 1)

    async def chain(self) -> Sequence[DealRow]:
        """All commitments, in their order."""
        return [] if self._store is None else await self._store.deals.chain()

    # ---- inside

    async def _with_deal(self, entry: Entry) -> Entry:
        deal = None if self._store is None else await self._store.deals.deal(entry.match_id)
        return replace(entry, deal=deal)

    def _begun(self, limit: int, rows: Sequence[MatchRow]) -> list[Begun]:
        """Matches that began in the journals; older journals are left alone when there are newer matches enough.

        A journal is named like its matches and before all of them, so that names and ids sort together.
        """
        found: list[Begun] = []
        for paths in starts(self.folder):
            found += [begun for path in paths for begun in begun_in(path)]
            newer = {b.match_id for b in found} | {row.match_id for row in rows}
            first = paths[-1].stem[:ID_LENGTH]
            if time_of(first) is not None and sum(match_id > first for match_id in newer) >= limit:
                break
        return found

    async def _ended(self, row: MatchRow) -> Entry:
        games = [] if self._store is None else await self._store.results.games(row.match_id)
        sums = tuple(sum(game.places[e] for game in games) for e in range(len(row.entrants)))
        return replace(
            self._entry(row.match_id, row.terms, self._journal(row), row.number),
            created_at=row.created_at,
            state=row.termination,
            is_stored=True,
            place_sums=sums,
            games_finished=len(games),
            strikes=row.strikes,
            faults=tuple(map(fault_from, row.faults)),
        )

    def _journal(self, row: MatchRow) -> Path:
        return self.folder / "journals" / Path(row.journal).name

    def _unfinished(self, begun: Sequence[Begun], rows: Iterable[MatchRow]) -> dict[MatchId, Entry]:
        """Matches whose end is not in the store, played again as far as their journal goes."""
        dates = {row.match_id: row.created_at for row in rows}
        entries: dict[MatchId, Entry] = {}
        for path in {b.path for b in begun}:
            here = [b for b in begun if b.path == path]
            records = records_of(Reading(path), {b.number for b in here})
            for b in here:
                entry = self._entry(b.match_id, b.terms, path, b.number)
                entries[b.match_id] = self._with_course(entry, records[b.number])
        return {
            match_id: replace(entry, created_at=dates.get(match_id, entry.created_at))
            for match_id, entry in entries.items()
        }

    def _entry(self, match_id: MatchId, terms: Mapping[str, Any], journal: Path, number: int) -> Entry:
        return Entry(
            match_id=match_id,
            created_at=time_of(match_id),
            preset=terms["preset"],
            terms=terms,
            entrants=tuple(terms["entrants"]),
            journal=journal,
            number=number,
            state="interrupted",
            is_stored=False,
        )

    def _with_course(self, entry: Entry, records: Sequence[bytes]) -> Entry:
        """Add how far it got; a match under other rules is left without."""
        if not plays(entry, self._games):
            return entry
        referee = _played(records, self._games)
        state = "interrupted"
        if referee.ended is not None:
            state = referee.ended.termination
        elif is_held(self.folder) and entry.journal in starts(self.folder)[0]:
            state = "running"
        return replace(
            entry,
            state=state,
            place_sums=referee.place_sums(),
            games_finished=len(referee.results),
            strikes=strikes_of(referee),
        )


def _played(records: Iterable[bytes], games: Mapping[str, Game]) -> Referee:
    replay = Replay(records, games)
    for _ in replay.moments():
        pass
    return replay.referee


def plays(entry: Entry, games: Mapping[str, Game]) -> bool:
    """Whether a match was played under rules that this version has."""
    game = games.get(entry.terms["game"])
    return game is not None and game.version == entry.terms["rules_version"]


def time_of(match_id: str) -> float | None:
    """When an id was made, seconds since 1970: its first ten characters are milliseconds in Crockford's base 32.

    >>> time_of("01ARYZ6S41TSV4RRFFQ69G5FAV")
    1469918176.385
    """
    if len(match_id) != ID_LENGTH or not set(match_id) <= set(_CROCKFORD):
        return None
    number = 0
    for character in match_id[:10]:
        number = number << 5 | _CROCKFORD.index(character)
    return number / 1000
