"""The attendance of a league: which bots are connected, which blocks may begin, and which absent bots forfeit.

    a round opens      a block begins as soon as every bot of its tables is connected
    a round closes     a block begins without its absent bots: they forfeit, and the ledger records this

A block with several tables begins as a whole, and none of its tables is withdrawn: bots at a later table could
otherwise learn their cards from bots at an earlier one.

Only remote bots can be absent; nodes start the other bots when a block needs them. In a league without dates, every
round is open and none closes. Instead, a bot becomes *overdue* once it has kept the league from playing anything else
for `PATIENCE_S` in all. Blocks begin without an overdue bot, until it has played a block again.

The ledger records the absent bots before the block begins. After an interruption this entry decides, so the same bots
forfeit. A round that has opened or closed stays so, even if the clock is set back. A round closes only once bots have
been able to connect for a while, so they have time to come back after a kill or a sleep of the machine.
"""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Final

from arena.competition.league.model import Block, RoundDate, find_date
from arena.competition.league.ports import OPEN, BlockRow, LedgerEntry
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.ledger_entries import ABSENT, EXTENDED

MAX_JUMP_S: Final = 5.0
"""Seconds by which the two clocks may move apart between two calls of `look`. More means a sleep, or a change of the
time."""
MAX_GAP_S: Final = 20.0
"""The largest number of seconds between two calls of `look`. More means that this process stood still."""


class LeagueClock:
    """The two clocks of a league: the wall clock, and a steady clock that nobody can set."""

    def wall_s(self) -> float:
        """Return seconds since 1970. This time may jump in either direction."""
        return time.time()

    def steady_s(self) -> float:
        """Return seconds since some fixed moment. They never run backwards, but may stand still in a sleep."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds of the steady clock."""
        await asyncio.sleep(seconds)


class ServiceTime:
    """Measures for how long bots have been able to connect without interruption.

    An interruption is a start of the league, a sleep of the machine, a stop of the process, or a change of the time.
    """

    def __init__(self, clock: LeagueClock) -> None:
        self._clock = clock
        self._since = clock.steady_s()
        self._wall, self._steady = clock.wall_s(), self._since

    def look(self) -> float:
        """Read the clocks, and return the seconds since the last interruption. Call this often."""
        wall, steady = self._clock.wall_s(), self._clock.steady_s()
        passed = steady - self._steady
        if passed > MAX_GAP_S or abs(wall - self._wall - passed) > MAX_JUMP_S:
            self._since = steady
        self._wall, self._steady = wall, steady
        return steady - self._since


RETURN_S: Final = 60.0
"""Seconds for which bots may come back after an interruption before a round closes. For a short date, this time is half
of the date's length. The SDK dials at least every five seconds."""
DOUBT_S: Final = 30.0
"""Seconds for which a connected bot counts as absent if it does not take its seat."""
PATIENCE_S: Final = 240.0
"""Seconds for which a league without dates waits for an absent bot while nothing else can be played."""
LOOK_INTERVAL_S: Final = 0.5
"""Seconds between two checks of which bots are connected."""


class Attendance:
    """Decides which blocks of one league may begin, and without whom."""

    def __init__(
        self,
        dates: Sequence[RoundDate],
        remotes: Collection[str],
        departed: Collection[str],
        ledger: Ledger,
        clock: LeagueClock,
        on_awaited: Callable[[Mapping[str, int]], None] = lambda _: None,
    ) -> None:
        """`remotes` are the remote bots. `departed` has the bots that have left the league, and may change.

        `on_awaited` is called with `awaited` whenever it changes.
        """
        self.awaited: Mapping[str, int] = {}
        """How many tables of open rounds wait for each absent bot."""
        self.revision = 0
        """Grows whenever a block that had to wait may begin, or the other way round."""
        self._on_awaited = on_awaited
        self._is_reported = False
        self._held = (-1, 0)
        """The revision and the number of postponed blocks at the last report."""
        self._is_dated = bool(dates)
        self._dates = dates
        self._remotes = frozenset(remotes)
        self.may_wait = self._is_dated or bool(remotes)
        """Whether blocks may have to wait for bots or for a date."""
        self._departed = departed
        self._ledger = ledger
        self._clock = clock
        self._service = ServiceTime(clock)
        self._served_s = 0.0
        """For how many seconds bots had been able to connect at the last check."""
        self._present: frozenset[str] = frozenset()
        self._missing = self._remotes
        """The absent remote bots, including departed ones. Every waiting block is compared with this set."""
        self._date_of = cache(partial(find_date, dates))
        self._doubted_until: dict[str, float] = {}
        """By name of a bot: the steady time until which the bot counts as absent although it is connected."""
        self._waited_s: dict[str, float] = {}
        """For how many seconds nothing could be played because of each bot, since it last played a block."""
        self._holding_up: frozenset[str] = frozenset()
        """The absent bots for which all remaining blocks wait; empty while something can be played."""
        self._looked_s = clock.steady_s()
        """The steady time of the last check."""
        self._forfeits: defaultdict[tuple[int, int], frozenset[str]] = defaultdict(frozenset)
        """The absent bots that the ledger records for each block and attempt."""
        started = [row.round for row in ledger.rows]
        self._opened = {date for number in started if (date := find_date(dates, number)) is not None}
        self._closed: set[RoundDate] = set()
        self._read_acts()
        self._interrupted = {row.number for row in ledger.rows if row.state == OPEN and ledger.is_current(row)}
        """Blocks that an earlier run left unfinished and that have not begun again."""

    async def watch(
        self, find_present: Callable[[], Awaitable[Collection[str]]], on_change: Callable[[], None]
    ) -> None:
        """Check at intervals which bots are connected and what time it is. Runs until cancelled.

        `find_present` returns the remote bots that are connected. `on_change` is called when something has changed.
        """
        while True:
            if self.update(await find_present()):
                on_change()
            await self._clock.sleep(LOOK_INTERVAL_S)

    def update(self, present: Collection[str]) -> bool:
        """Update the state from the clocks and the bots that are connected now. Return whether it has changed."""
        before = self._state()
        steady = self._clock.steady_s()
        self._present = frozenset(name for name in present if steady >= self._doubted_until.get(name, steady))
        self._served_s, now = self._service.look(), self._clock.wall_s()
        passed, self._looked_s = min(MAX_GAP_S, steady - self._looked_s), steady
        for name in self._holding_up:
            self._waited_s[name] = self._waited_s.get(name, 0.0) + passed
        for date in self._dates:
            if now >= date.opens:
                self._opened.add(date)
            if now >= date.closes and self._could_return(date):
                self._closed.add(date)
        self._missing = self._remotes - self._present
        has_changed = before != self._state()
        self.revision += has_changed
        return has_changed

    def is_open(self, number: int) -> bool:
        """Return whether the round has opened. This stays true after its close."""
        date = self._date_of(number)
        return date is None or date in self._opened

    def may_begin(self, block: Block) -> bool:
        """Return whether a block may begin now.

        In a league with dates, an interrupted block may always go on, because its games have begun.
        """
        if self._is_dated and block.number in self._interrupted:
            return True
        return self.is_open(block.round) and (
            self._is_closed(block.round) or all(map(self._is_overdue, self._find_missing(block)))
        )

    def begin(self, block: Block) -> frozenset[str]:
        """Note that a block begins, and return the absent bots, which forfeit its tables."""
        if not self.may_wait:
            return frozenset()
        was_interrupted = block.number in self._interrupted
        self._interrupted.discard(block.number)
        recorded = self._forfeits[self._key(block)]
        return recorded if was_interrupted else recorded.union(self._find_missing(block))

    def needs_everybody(self, block: Block) -> bool:
        """Return whether the table of a block may begin only if every bot takes its seat.

        If the block has further tables, they have the same deal and may have begun. Then a bot that is connected and
        takes no seat forfeits. Otherwise it could first learn the cards from a bot at another table.
        """
        if self._remotes.isdisjoint(block.names) or len(block.tables) > 1 or self._is_closed(block.round):
            return False
        return not any(map(self._is_overdue, block.names))

    def end(self, block: Block) -> None:
        """Note that a block has ended. A bot that played in it is no longer overdue."""
        if waited := self._waited_s.keys() & set(block.names):
            for name in waited - self._ledger.find_forfeits(block.number):
                del self._waited_s[name]
                self.revision += 1

    def note_missing(self, names: Collection[str]) -> None:
        """Treat connected bots that took no seat as absent for `DOUBT_S`, because their connections may be dead."""
        self._doubted_until |= dict.fromkeys(names, self._clock.steady_s() + DOUBT_S)
        self._present -= frozenset(names)
        self._missing = self._remotes - self._present
        self.revision += 1

    async def record(self, block: Block, absent: Collection[str]) -> None:
        """Record the absent bots of a new block in the ledger, except those it already has for this attempt."""
        if not absent:
            return
        number, attempt = key = self._key(block)
        if new := frozenset(absent) - self._forfeits[key]:
            self._forfeits[key] |= new
            values = {"block": number, "attempt": attempt, "round": block.round, "names": sorted(new)}
            if not self._is_dated:
                values["waited_s"] = PATIENCE_S
            await self._ledger.add_entry(ABSENT, values)

    def hold(self, postponed: Sequence[Block], *, is_idle: bool) -> None:
        """Note which blocks are postponed, and report how many tables wait for each bot if this has changed.

        `is_idle` says that nothing is being played. Then the bots for which blocks wait become overdue after a while,
        except in a league with dates.
        """
        if not self.may_wait:
            return
        if (state := (self.revision, len(postponed))) != self._held:  # there may be thousands of blocks
            self._held = state
            names = (name for block in postponed if self.is_open(block.round) for name in self._find_missing(block))
            awaited = dict(sorted(Counter(names).items()))
            if awaited != self.awaited or not self._is_reported:
                self.awaited, self._is_reported = awaited, True
                self._on_awaited(awaited)
        self._holding_up = frozenset(self.awaited) if is_idle and not self._is_dated else frozenset()

    # ---- inside

    def _read_acts(self) -> None:
        """Read from the ledger which bots forfeited and which dates closed before this run."""
        for act in self._ledger.acts:
            if act.kind == ABSENT:
                self._forfeits[act.values["block"], act.values["attempt"]] |= frozenset(act.values["names"])
            if act.kind in (ABSENT, EXTENDED) and (date := self._date_of(act.values["round"])) is not None:
                # An extended date is open again.
                (self._closed.add if act.kind == ABSENT else self._closed.discard)(date)

    def _key(self, block: Block) -> tuple[int, int]:
        return block.number, self._ledger.current_attempt(block.number)

    def _is_closed(self, number: int) -> bool:
        date = self._date_of(number)
        return date is not None and date in self._closed and self._could_return(date)

    def _could_return(self, date: RoundDate) -> bool:
        """Return whether bots have had time to come back since the last interruption."""
        return self._served_s >= min(RETURN_S, date.length_s / 2)

    def _state(self) -> tuple[object, ...]:
        """Return the values that decide whether waiting blocks may begin."""
        overdue = sum(map(self._is_overdue, self._waited_s))
        return self._present, len(self._opened), sum(map(self._could_return, self._closed)), overdue

    def _is_overdue(self, name: str) -> bool:
        """Return whether blocks no longer wait for a bot."""
        return self._waited_s.get(name, 0.0) >= PATIENCE_S

    def _find_missing(self, block: Block) -> list[str]:
        """Return the remote bots of a block that are not connected and have not left the league."""
        return [name for name in block.names if name in self._missing and name not in self._departed]


def has_absence(acts: Iterable[LedgerEntry], row: BlockRow) -> bool:
    """Return whether the ledger says that bots were absent from an attempt at a block."""
    return any(
        act.kind == ABSENT and (act.values["block"], act.values["attempt"]) == (row.number, row.attempt) for act in acts
    )
