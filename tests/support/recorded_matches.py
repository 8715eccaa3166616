"""Played matches of Cheat, and data folders in which they are stored.

Cards are dealt from the sorted pack, and seat 0 begins. With three seats, seat 0 has AC AS 2H 3D 4C 4S 5H 6D 7C 7S 8H
9D TC TS JH QD KC KS, seat 1 AD 2C 2S 3H 4D 5C 5S 6H 7D 8C 8S 9H TD JC JS QH KD JK, seat 2 the rest and the other joker.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.orders import DecisionResult
from arena.match.referee.ports import MatchId
from arena.match.referee.table import Table
from arena.server.store.journal_file import JournalFile
from arena.server.store.open_store import open_store
from tests.match.referee.driver import MatchDriver, MemoryJournal, ScriptedChance, make_driver

CREATED_AT = 1_700_000_000.0
SHORT_GAME = {"count": ["same", "more", "less"], "max_turns": 23}
"""Options of a short game. If all moves are automatic, the last of three seats lays one card fewer and is third."""


class ManualMatch:
    """A match that a test plays by hand; actions are as in the journal: `2K KS4D`, `call`, `decline`, `pass`."""

    def __init__(self, match_id: str, number: int = 1, **settings: Any) -> None:
        settings.setdefault("options", SHORT_GAME)
        self.bench: MatchDriver = make_driver(CHEAT, settings.pop("entrants", 3), **settings)
        self.bench.paper = MemoryJournal()
        terms = self.bench.terms
        chance = settings.get("chance") or ScriptedChance()
        self.table = self.bench.table = Table(number, MatchId(match_id), terms, self.bench.paper, chance, self.bench)
        self.bench.begin()

    @property
    def records(self) -> list[bytes]:
        return self.bench.paper.records

    def answer(self, entrant: int, action: str, at: int, note: str = "") -> DecisionResult:
        """Answer the open prompt of an entrant, after everything that is due before ``at``."""
        self.bench.catch_up(at)
        prompt = self.bench.prompt(entrant)
        self.bench.clock = max(at, self.bench.clock)
        self.bench._action_id += 1
        before = len(self.bench.orders)
        self.bench.put_answer(entrant, prompt.id, self.bench._action_id, CHEAT.read_action(action), at, note=note)
        return next(order for order in self.bench.orders[before:] if isinstance(order, DecisionResult))

    def play_out(self) -> "ManualMatch":
        """Answer every prompt immediately with the automatic action, until the match is over."""
        self.bench.play_until(lambda: self.bench.referee.ended is not None)
        return self


class HasRecords(Protocol):
    """A match of any kind that has records."""

    @property
    def records(self) -> list[bytes]:
        """The records for its journal."""


class DataFolder:
    """A data folder as a server leaves it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "journals").mkdir(parents=True)

    def write_journal(self, name: str, *matches: HasRecords) -> Path:
        """Write the records of matches to a journal, in turns of up to two records, as on a node."""
        path = self.path / "journals" / f"{name}.journal"
        file = JournalFile(path)
        rows = [list(match.records) for match in matches]
        while any(rows):
            for row in rows:
                for record in row[:2]:
                    file.append(record)
                del row[:2]
                file.flush()
        file.close()
        return path

    def store_matches(self, name: str, *matches: ManualMatch, ended: bool = True, version: str = "") -> None:
        """Add matches to the store. ``version`` replaces the version of the rules under which they were played."""
        asyncio.run(self._store_matches(name, matches, ended, version))

    async def _store_matches(self, name: str, matches: tuple[ManualMatch, ...], ended: bool, version: str) -> None:
        async with await open_store(self.path) as store:
            for match in matches:
                terms = match.bench.terms
                row = new_match_row(match.table.match_id, match.table.number, terms, f"{name}.journal", CREATED_AT)
                record = derive_match_record(row, match.records, games())
                # A copy, because equal terms share one description.
                description = {**row.terms, "rules_version": version or terms.game.version}
                await store.results.add_match(replace(row, terms=description))
                if ended:
                    await store.results.add_games(record.match, record.games)
                    await store.results.end_match(replace(record.match, terms=description))
