"""A league with dates on a virtual clock: real schedule, ledger, dispatcher and attendance; scripted bots."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.competition.league.model import TableResult
from arena.competition.league.ports import BlockRow, LedgerEntry
from arena.errors import NotConnectedError
from arena.ids import new_id
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_dates import assign_rounds
from arena.organizer.file.league_format import choose_format
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.attendance import Attendance, LeagueClock
from arena.organizer.play.block_dispatcher import DEFAULT_POLICY, BlockDispatcher
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import BotRestarts
from arena.organizer.seal.amendments import LeagueAmender
from arena.organizer.seal.ledger import Ledger, block_from_row
from arena.organizer.seal.ledger_entries import ABSENT, amended_dates, amended_field
from arena.organizer.seal.schedule import Schedule
from tests.support.leagues import SEED

HOUR = 3600.0
MONDAY = datetime(2026, 11, 30, tzinfo=UTC).timestamp()
STEP_S = 15.0
"""The time that passes between two looks."""
GAME_S = 120.0

IsThere = Callable[[str, float], bool]
"""Whether a bot is connected, by its name and the seconds since Monday."""


class VirtualClock(LeagueClock):
    """Time passes only while the attendance sleeps. `plan` has what happens at which steady time."""

    def __init__(self) -> None:
        self.steady = 0.0
        self.ahead = 0.0
        """Seconds by which the clock on the wall runs ahead of the steady one."""
        self.plan: list[tuple[float, Callable[[], None]]] = []
        self._waiting: list[tuple[float, asyncio.Event]] = []

    def wall_s(self) -> float:
        return MONDAY + self.steady + self.ahead

    def steady_s(self) -> float:
        return self.steady

    async def sleep(self, _: float) -> None:
        self.steady += STEP_S
        due = [act for at, act in self.plan if at <= self.steady]
        self.plan = [each for each in self.plan if each[0] > self.steady]
        for act in due:
            act()
        for at, event in self._waiting:
            if at <= self.steady:
                event.set()
        self._waiting = [each for each in self._waiting if each[0] > self.steady]
        for _pass in range(12):
            await asyncio.sleep(0)

    async def wait(self, seconds: float) -> None:
        event = asyncio.Event()
        self._waiting.append((self.steady + seconds, event))
        await event.wait()


class MemoryStore:
    """A store that survives the end of a league's process."""

    def __init__(self) -> None:
        self.acts: list[LedgerEntry] = []
        self.rows: dict[tuple[int, int], BlockRow] = {}
        self.opened: Counter[tuple[int, int]] = Counter()

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        self.acts.append(LedgerEntry(len(self.acts) + 1, at, kind, values))
        return self.acts[-1]

    async def open_block(self, league: str, row: BlockRow) -> None:
        self.rows.setdefault((row.number, row.attempt), row)
        self.opened[row.number, row.attempt] += 1

    async def end_block(self, league: str, row: BlockRow) -> None:
        assert self.rows[row.number, row.attempt].state == "open", "a block ends once"
        self.rows[row.number, row.attempt] = row


class VirtualNode:
    """A node to which bots connect by script, and its own process."""

    def __init__(self, week: "Week") -> None:
        self._week = week
        self.process = self
        self.tables = 0
        self.seats: Counter[str] = Counter()

    @property
    def is_up(self) -> bool:
        return self._week.has_node

    async def find_connected(self) -> Collection[str]:
        return self._week.connected()

    def reserve_table(self, names: Sequence[str]) -> None:
        self.tables += 1
        self.seats.update(names)

    async def acquire(self, names: Sequence[str]) -> None: ...

    def release_table(self, names: Sequence[str], has_bots: bool) -> None:
        self.tables -= 1
        self.seats.subtract(names)

    def count_running(self, names: object) -> int:
        return 0

    async def next_lost_bot(self) -> Any:
        await asyncio.Event().wait()

    async def shut_down(self) -> None: ...


class VirtualRunner:
    """Plays blocks like a `BlockRunner`, in virtual time."""

    def __init__(self, week: "Week") -> None:
        self._week = week

    async def play(
        self,
        row: BlockRow,
        node: object,
        away: Collection[str],
        release_table: Callable[[Sequence[str]], None],
        *,
        needs_everybody: bool,
    ) -> None:
        week, has_begun = self._week, row.matches[0] in self._week.begun
        await week.ledger.open_attempt(replace(row, journals=("node.journal",)))
        there = week.connected() - week.refusing
        missing = [name for table in row.tables for name in table if name not in there and name not in away]
        if needs_everybody and missing and not has_begun:
            await week.clock.wait(10.0)
            raise NotConnectedError(missing)
        week.begun.update(row.matches)
        week.began.append((week.clock.steady / HOUR, row.number))
        await week.clock.wait(GAME_S)
        gone = {*away, *(() if has_begun else missing)}  # whoever does not take a seat in time forfeits
        tables = [_play_table(*each, gone) for each in zip(row.tables, row.matches, strict=True)]
        for table in row.tables:
            release_table(table)
        await week.ledger.end_attempt(row, tables)


class Week:
    """A league of remote bots; every game takes two minutes."""

    def __init__(
        self, folder: Path, names: str, dates: Sequence[tuple[float, float]], is_there: IsThere, more: str = ""
    ) -> None:
        """`dates` have opening and close in hours after Monday 0:00 UTC; `more` are further lines of the file."""
        folder.mkdir(parents=True, exist_ok=True)
        form = more or "format = 'season'\ngames = 12"
        (folder / "league.toml").write_text(
            f'name = "week"\npreset = "standard"\nseats = 2\n{form}\n'
            + "".join(f'[[entrants]]\nbot = "remote:{name}"\n' for name in names.split())
            + "".join(f"[[dates]]\nopens = {_toml(one)}\ncloses = {_toml(two)}\n" for one, two in dates)
        )
        self.file = read_league_file(folder / "league.toml")
        self.field = amended_field(self.file, (), SEED)
        self.form, _ = choose_format(self.file, self.field, None)
        self.dates = assign_rounds(self.file.dates, self.form, self.field)
        self.clock, self.store, self.is_there = VirtualClock(), MemoryStore(), is_there
        self.has_node = True
        self.refusing: set[str] = set()
        """Bots that are connected and take no seat."""
        self.begun: set[MatchId] = set()
        """Matches that have begun; their table goes on without waiting for bots."""
        self.began: list[tuple[float, int]] = []
        """Hours and numbers of the blocks that began."""
        self.awaited: list[Mapping[str, int]] = []
        """What the dispatcher reported about awaited bots, oldest first."""

    def connected(self) -> frozenset[str]:
        return frozenset(each.name for each in self.file.entrants if self.is_there(each.name, self.clock.steady))

    async def play(self) -> None:
        """Play to the end of the league, or until this is cancelled."""
        self.ledger = Ledger("week", self.store, self.store.acts, list(self.store.rows.values()), self.clock.wall_s)  # type: ignore[arg-type]  # all that it asks
        restarts = BotRestarts(self.ledger, lambda _: [VirtualNode(self)])  # type: ignore[list-item]  # all that it asks
        remotes = self.file.bots
        dates = amended_dates(self.dates, self.ledger.acts)
        attendance = Attendance(dates, remotes, restarts.away, self.ledger, self.clock, self.awaited.append)
        dispatcher = BlockDispatcher(
            Schedule(self.form, self.field, self.ledger),
            self.ledger,
            VirtualRunner(self),  # type: ignore[arg-type]  # all that it asks
            ConcurrencyLimiter(len(remotes), 2),
            lambda: MatchId(new_id()),
            restarts,
            DEFAULT_POLICY,
            attendance,
        )
        self.playing = asyncio.create_task(dispatcher.play())
        await self.playing

    def kill(self) -> None:
        self.playing.cancel()

    async def play_through_kills(self, hours: Sequence[float], pause_s: float = 0.0) -> None:
        """Play, and kill the league at these hours; it starts again after a pause."""
        for hour in hours:
            self.clock.plan.append((hour * HOUR, self.kill))
            await asyncio.gather(asyncio.ensure_future(self.play()), return_exceptions=True)
            self.clock.steady += pause_s
        await self.play()

    async def amend(self, kind: str, what: str, until: datetime | None = None) -> None:
        """Amend the league while it does not play."""
        dates = amended_dates(self.dates, self.ledger.acts)
        await LeagueAmender(self.file, self.form, self.field, self.ledger, dates).amend(kind, what, "because", until)

    # ---- what became of it

    @property
    def results(self) -> list[TableResult]:
        return [table for result in self.ledger.history for table in result.tables]

    @property
    def forfeits(self) -> Counter[str]:
        """How many games each bot forfeited."""
        return Counter(name for table in self.results for name in table.forfeits)

    @property
    def absences(self) -> list[Mapping[str, Any]]:
        return [act.values for act in self.store.acts if act.kind == ABSENT]

    def names_of(self, number: int) -> tuple[str, ...]:
        return block_from_row(self.store.rows[number, 0]).names


def _play_table(names: tuple[str, ...], match_id: MatchId, away: Collection[str]) -> TableResult:
    gone = frozenset(away).intersection(names)
    places = tuple(2 if name in gone and len(gone) == 1 else 1 for name in names)
    return TableResult(match_id, names, places, "won", gone, ({}, {}))


def _toml(hours: float) -> str:
    return datetime.fromtimestamp(MONDAY + hours * HOUR, UTC).isoformat()
