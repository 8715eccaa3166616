"""The attendance of a league: which bots are connected, which blocks may begin, and which absent bots forfeit.

    a round opens      a block begins as soon as every bot of its tables is connected
    a round closes     a block begins without its absent bots: they forfeit, and the ledger records this

Only remote bots can be absent; the pool starts the other bots when a block needs them. In a league without dates, every
block may begin immediately, and the pool waits for remote bots as long as for bots that it starts.

The ledger's entry on absent bots is written before the block begins. After an interruption, the entry decides, so the
same bots forfeit. If a round has opened or closed, it stays so, even if the clock is set back. A round closes only
after bots have been able to connect for a while. So after a kill, or a sleep of the machine, bots first have time to
come back.
"""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Final

from arena.hosting.play.league_clock import LeagueClock, ServiceTime
from arena.hosting.seal.amendments import EXTENDED
from arena.hosting.seal.ledger import Ledger
from arena.league.dates import RoundDate, find_date
from arena.league.model import Block
from arena.league.ports import OPEN

ABSENT: Final = "absent"
"""The kind of the ledger entry for bots that forfeit the tables of a block because they were absent at its close."""
RETURN_S: Final = 60.0
"""Seconds for which bots may come back after an interruption before a round closes. For a short date, this time is half
of the date's length. The SDK dials at least every five seconds."""
DOUBT_S: Final = 30.0
"""Seconds for which a connected bot counts as absent if it does not take its seat."""
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
        self._on_awaited = on_awaited
        self._is_reported = False
        self.is_dated = bool(dates)
        self._dates = dates
        self._remotes = frozenset(remotes)
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
        for date in self._dates:
            if now >= date.opens:
                self._opened.add(date)
            if now >= date.closes and self._could_return(date):
                self._closed.add(date)
        self._missing = self._remotes - self._present
        return before != self._state()

    def is_open(self, number: int) -> bool:
        """Return whether the round has opened. This stays true after its close."""
        date = self._date_of(number)
        return date is None or date in self._opened

    def may_begin(self, block: Block) -> bool:
        """Return whether a block may begin now.

        An interrupted block may always go on, because its games have begun.
        """
        if not self.is_dated or block.number in self._interrupted:
            return True
        return self.is_open(block.round) and (not self._find_missing(block) or self._is_closed(block.round))

    def begin(self, block: Block) -> frozenset[str]:
        """Note that a block begins, and return the absent bots, which forfeit its tables."""
        if not self.is_dated:
            return frozenset()
        was_interrupted = block.number in self._interrupted
        self._interrupted.discard(block.number)
        recorded = self._forfeits[self._key(block)]
        return recorded if was_interrupted else recorded.union(self._find_missing(block))

    def needs_everybody(self, block: Block) -> bool:
        """Return whether the tables of a block may begin only if every bot takes its seat."""
        return self.is_dated and not self._is_closed(block.round)

    def note_missing(self, names: Collection[str]) -> None:
        """Treat connected bots that took no seat as absent for `DOUBT_S`, because their connections may be dead."""
        self._doubted_until |= dict.fromkeys(names, self._clock.steady_s() + DOUBT_S)
        self._present -= frozenset(names)
        self._missing = self._remotes - self._present

    async def record(self, block: Block, absent: Collection[str]) -> None:
        """Add an entry on the absent bots of a new block to the ledger, unless the ledger already has these bots."""
        if not absent:
            return
        number, attempt = key = self._key(block)
        if new := frozenset(absent) - self._forfeits[key]:
            self._forfeits[key] |= new
            values = {"block": number, "attempt": attempt, "round": block.round, "names": sorted(new)}
            await self._ledger.add_entry(ABSENT, values)

    def report_awaited(self, waiting: Iterable[Block]) -> None:
        """Report how many tables wait for each bot, if this has changed. `waiting` has the blocks that wait."""
        if not self.is_dated:
            return
        held = [block for block in waiting if self.is_open(block.round) and not self.may_begin(block)]
        awaited = dict(sorted(Counter(name for block in held for name in self._find_missing(block)).items()))
        if awaited != self.awaited or not self._is_reported:
            self.awaited, self._is_reported = awaited, True
            self._on_awaited(awaited)

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
        return self._present, len(self._opened), sum(map(self._could_return, self._closed))

    def _find_missing(self, block: Block) -> list[str]:
        """Return the remote bots of a block that are not connected and have not left the league."""
        return [name for name in block.names if name in self._missing and name not in self._departed]
