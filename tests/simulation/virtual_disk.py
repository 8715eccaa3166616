"""The virtual disk: real journal files whose writes fail, tear and are lost by seed, and a store in memory that fails.

The folder of journals is real, so that the server's own code writes them, tears them and reads them back.
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from arena.errors import JournalError, MatchMovedError, StoreError, UnknownNameError
from arena.match.deal.commitment import GENESIS_LINK, next_link
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.ports import DealRow, GameRow, MatchId, MatchRow
from arena.server.store.journal_file import JournalFile
from arena.server.store.synced_journal import SyncedJournalFile
from tests.simulation.virtual_time import ServerKilled, World

T = TypeVar("T")


class VirtualDisk:
    """What survives a server: a folder of journals and the rows of the store."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.kill_after: int | None = None
        """The number of accesses until the server is killed in the middle of one; None: it is not."""
        self.is_journal_full = False
        self.is_store_away = False
        self.appended = 0
        """Records that the running server has appended."""
        self.durable = 0
        """Records of the running server that survive its end."""
        self.synced_bytes = 0
        """Bytes of its journal that survive a power cut."""
        self.matches: dict[MatchId, MatchRow] = {}
        self.games: list[GameRow] = []
        self.deals: list[DealRow] = []

    def restart(self) -> None:
        """Begin the life of another server."""
        self.appended = self.durable = self.synced_bytes = 0
        self.kill_after = None

    def access(self) -> None:
        """Count an access; kill the server if it is the one."""
        if self.kill_after is not None:
            self.kill_after -= 1
            if self.kill_after <= 0:
                self.kill_after = 0
                raise ServerKilled


class ProcessJournal(JournalFile):
    """A journal whose flushed groups survive a kill."""

    def __init__(self, path: Path, disk: VirtualDisk) -> None:
        self._disk = disk
        super().__init__(path)

    def append(self, record: bytes) -> None:
        """Count the record."""
        self._disk.appended += 1
        super().append(record)

    def _write(self, data: bytes) -> None:
        """Write, or tear the write: the disk is full, or the server is killed in the middle."""
        _tear(self, data, self._disk)
        super()._write(data)

    def _on_group_written(self) -> None:
        super()._on_group_written()
        self._disk.durable = self._disk.appended


class DiskJournal(SyncedJournalFile):
    """A journal whose groups survive a power cut once they are synced."""

    def __init__(self, path: Path, disk: VirtualDisk) -> None:
        self._disk = disk
        self._flushed_count = 0
        super().__init__(path, self._sync_virtually)

    def append(self, record: bytes) -> None:
        """Count the record."""
        self._disk.appended += 1
        super().append(record)

    def _write(self, data: bytes) -> None:
        _tear(self, data, self._disk)
        super()._write(data)

    def _on_group_written(self) -> None:
        super()._on_group_written()
        self._flushed_count = self._disk.appended

    def _sync_virtually(self, _: int) -> None:
        self._disk.access()
        if self._disk.is_journal_full:
            raise OSError(5, "Input/output error")
        self._disk.durable, self._disk.synced_bytes = self._flushed_count, self._whole_size


def _tear(journal: JournalFile, data: bytes, disk: VirtualDisk) -> None:
    """Write only a part if the disk is full or the server is killed now."""
    part = disk.world.random.randrange(len(data)) if disk.is_journal_full or disk.kill_after == 1 else 0
    try:
        disk.access()
    except ServerKilled:
        journal._truncate_torn_tail()
        os.write(journal._file, data[:part])
        raise
    if disk.is_journal_full:
        journal._truncate_torn_tail()
        journal._has_torn_tail = True
        os.write(journal._file, data[:part])
        raise JournalError("no space left on the virtual disk")


class MemoryStore:
    """The ports of the store, in memory: atomic and durable, slow, at times away, and at times of unknown outcome."""

    def __init__(self, disk: VirtualDisk) -> None:
        self._disk = disk

    async def _write(self, name: str, apply: Callable[[], T]) -> T:
        disk, random = self._disk, self._disk.world.random
        await asyncio.sleep(random.randrange(200, 4_000) / 1e6)
        disk.access()
        if disk.is_store_away and random.random() < 0.7:
            raise StoreError("the virtual store is away")
        value = apply()
        disk.world.note(f"store {name}")
        disk.access()
        if disk.is_store_away:
            raise StoreError("the virtual store did not say whether it has written")
        return value

    # ---- results

    async def add_match(self, row: MatchRow) -> None:
        """Store a new match."""
        await self._write(f"add_match {row.match_id}", lambda: self._disk.matches.setdefault(row.match_id, row))

    async def move_matches(self, rows: Sequence[MatchRow]) -> None:
        """Store that matches and their deals continue in another journal."""

        def move() -> None:
            disk = self._disk
            for row in rows:
                kept = disk.matches.setdefault(row.match_id, row)
                disk.matches[row.match_id] = replace(kept, number=row.number, journal=row.journal)
                disk.deals = [
                    replace(deal, match_number=row.number, journal=row.journal)
                    if deal.match_id == row.match_id
                    else deal
                    for deal in disk.deals
                ]

        await self._write(f"move {[row.match_id for row in rows]}", move)

    async def add_games(self, match: MatchRow, rows: Sequence[GameRow]) -> None:
        """Store finished games that are not stored."""
        numbers = [row.game for row in rows]
        await self._write(f"add_games {match.match_id} {numbers}", lambda: self._insert_games(match, rows))

    def _insert_games(self, match: MatchRow, rows: Sequence[GameRow]) -> None:
        self._find_current(match)
        stored = {(row.match_id, row.game): row for row in self._disk.games}
        for row in rows:
            kept = stored.setdefault((row.match_id, row.game), row)
            if kept.digest != row.digest or kept.places != row.places:
                self._disk.world.violate(f"game {row.game} of {row.match_id} has two different results")
        self._disk.games = [*stored.values()]

    async def end_match(self, row: MatchRow) -> None:
        """Replace the match's row by its final state."""

        def end() -> None:
            kept = self._find_current(row)
            if kept.state == "ended" and (kept.termination, kept.strikes) != (row.termination, row.strikes):
                self._disk.world.violate(f"match {row.match_id} has ended in two different ways")
            self._disk.matches[row.match_id] = row

        await self._write(f"end_match {row.match_id}", end)

    def _find_current(self, row: MatchRow) -> MatchRow:
        """Return the stored row of a match that is still where its writer says."""
        kept = self._disk.matches.get(row.match_id)
        if kept is None:
            raise UnknownNameError("match", row.match_id)
        if (kept.journal, kept.number) != (row.journal, row.number):
            raise MatchMovedError(row.match_id, row.journal, row.number)
        return kept

    async def match(self, match_id: MatchId) -> MatchRow:
        """Return a match."""
        if match_id not in self._disk.matches:
            raise UnknownNameError("match", match_id)
        return self._disk.matches[match_id]

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """Return a match's finished games in order."""
        found = [row for row in self._disk.games if row.match_id == match_id]
        return sorted(found, key=lambda row: row.game)

    async def unfinished_matches(self) -> Sequence[MatchRow]:
        """Return the matches that have not ended, oldest first."""
        rows = sorted(self._disk.matches.values(), key=lambda row: row.match_id)
        return [row for row in rows if row.state == "running"]

    # ---- deals

    async def commit(self, row: DealRow) -> DealRow:
        """Add a commitment to the chain."""

        def add() -> DealRow:
            deals = self._disk.deals
            if any(each.match_id == row.match_id for each in deals):
                raise StoreError(f"match {row.match_id} has a deal already")
            link = next_link(deals[-1].link if deals else GENESIS_LINK, row.commitment)
            deals.append(replace(row, number=len(deals) + 1, link=link))
            return deals[-1]

        return await self._write(f"commit {row.match_id}", add)

    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any], journal: str = "") -> None:
        """Store a match's revealed deal, once, unless the match has left the journal."""

        def set_revealed() -> None:
            for index, row in enumerate(self._disk.deals):
                if row.match_id == match_id and row.revealed is None and journal in ("", row.journal):
                    self._disk.deals[index] = replace(row, revealed=dict(revealed))

        await self._write(f"reveal {match_id}", set_revealed)

    async def deal(self, match_id: MatchId) -> DealRow | None:
        """Return a match's deal."""
        return next((row for row in self._disk.deals if row.match_id == match_id), None)

    async def unrevealed_deals(self) -> Sequence[DealRow]:
        """Return the unrevealed deals, oldest first."""
        return [d for d in self._disk.deals if d.revealed is None and not d.deal_id.startswith(SHARED_DEAL_PREFIX)]
