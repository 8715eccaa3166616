"""A league in memory whose games take no time: real schedule and ledger, results derived from names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.competition.league.field import Field
from arena.competition.league.model import Block, BlockResult, RoundDate
from arena.competition.league.ports import BlockRow, LeagueRow, LedgerEntry
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_file import LeagueFile, SealedLeague
from arena.organizer.file.league_format import build_format
from arena.organizer.seal.amendments import LeagueAmender
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.ledger_entries import amended_field
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.seal.schedule import Schedule
from arena.plain_data import to_plain
from tests.organizer.leagues import LUCK
from tests.support.leagues import SEED, play_blocks

BEGAN_AT = 1_700_000_000.0
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class _Store:
    """Stores nothing: the ledger remembers what it was given."""

    def __init__(self) -> None:
        self.acts = 0

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        self.acts += 1
        return LedgerEntry(self.acts, at, kind, values)

    async def open_block(self, league: str, row: BlockRow) -> None: ...

    async def end_block(self, league: str, row: BlockRow) -> None: ...


class SimulatedLeague:
    """A league sealed with these entrants; others in its file join late, or never."""

    def __init__(self, file: LeagueFile, sealed: Sequence[str] = (), settings: Mapping[str, Any] | None = None) -> None:
        """`settings` of the format; None: as the file says."""
        self.file = file
        self.now = BEGAN_AT
        self.form = build_format(file.format, file.settings if settings is None else settings, file.decided_by)
        self.ledger = Ledger("test", _Store(), (), (), lambda: self.now)  # type: ignore[arg-type]  # all that it asks
        self._sealed = sealed or [each.name for each in file.entrants]
        self._matches = 0

    @property
    def field(self) -> Field:
        return amended_field(self.file, self.ledger.acts, SEED, self._sealed)

    @property
    def blocks(self) -> list[Block]:
        """Return the finished blocks, in order."""
        return [result.block for result in self.ledger.history]

    @property
    def is_over(self) -> bool:
        return self._schedule().is_over

    async def play(self, blocks: int | None = None, each_s: float = 0.0) -> int:
        """Play this many further blocks, or all that are left, one after the other; return how many were played."""
        schedule, count = self._schedule(), 0
        while (blocks is None or count < blocks) and (taken := schedule.take(1)):
            await self._play(taken[0], each_s)
            count += 1
        return count

    async def begin(self) -> None:
        """Begin a block and leave it unfinished."""
        (block,) = self._schedule().take(1)
        await self.ledger.open_attempt(self._row(block))

    async def amend(self, kind: str, what: str) -> LedgerEntry:
        return await LeagueAmender(self.file, self.form, self.field, self.ledger).amend(kind, what, "because")

    def open_league(self, dates: tuple[RoundDate, ...] = ()) -> OpenLeague:
        """Return the league as it is after the blocks played so far."""
        sealed = {"name": "test", "entrants": [to_plain(each) for each in self.file.entrants]}
        row = LeagueRow("test", LUCK.league_id, 0.0, "", sealed)
        return OpenLeague(
            SealedLeague.from_file(self.file), row, LUCK, self.ledger, self.form, self._schedule(), dates=dates
        )

    def _schedule(self) -> Schedule:
        """Return the schedule, recomputed as a run does."""
        return Schedule(self.form, self.field, self.ledger)

    async def _play(self, block: Block, each_s: float) -> None:
        row = self.ledger.unfinished_attempt(block.number) or self._row(block)
        assert row.tables == block.tables, "what was begun is what is drawn"
        await self.ledger.open_attempt(row)
        self.now += each_s
        await self.ledger.end_attempt(row, _results(block, row).tables)

    def _row(self, block: Block) -> BlockRow:
        matches = tuple(self._match_id() for _ in block.tables)
        attempt = self.ledger.current_attempt(block.number)
        return BlockRow(block.number, attempt, block.round, block.label, block.tables, matches)

    def _match_id(self) -> MatchId:
        """Return 26 characters, the first ten of which are the time."""
        self._matches += 1
        number = int(self.now * 1000) << 80 | self._matches
        return MatchId("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))


def _results(block: Block, row: BlockRow) -> BlockResult:
    (result,) = play_blocks([block])
    tables = zip(result.tables, row.matches, strict=True)
    return replace(result, tables=tuple(replace(table, match_id=match_id) for table, match_id in tables))
