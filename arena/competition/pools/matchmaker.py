"""Keeps the bots of all pools seated: a few times a second it makes matches of those who wait, and stores why.

The seating of a match is stored before its seats are offered. So after a kill every match of a pool has its seating,
and no game counts twice.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Final

from arena.competition.pools.entries import Entries
from arena.competition.pools.matchmaking import MatchmakingInput, Table, describe_inputs, seat_tables
from arena.competition.pools.pool import Pool
from arena.competition.pools.ports import (
    MatchHost,
    MatchOutcome,
    Notice,
    PoolSession,
    PoolStore,
    RoundRow,
    SeatedBot,
    SeatingRow,
)
from arena.competition.pools.running_pool import RunningPool
from arena.errors import ArenaError, StoreError
from arena.log_lines import get_logger
from arena.match.referee.ports import MatchId

log = get_logger(__name__)

ROUND_INTERVAL_S: Final = 0.2
"""Seconds between rounds of matchmaking."""
REFRESH_INTERVAL_S: Final = 5.0
"""Seconds between looks for newer fits, for seasons that end, and for matches that have vanished."""
HOUSE_SEATS: Final = 1_000
"""How many seats a house bot gets in each of its pools."""
RETRY_S: Final = 1.0
"""Seconds for which the bots of a match that could not be made get no other seat."""


class Matchmaker:
    """Makes the matches of all pools. Call `load`, then run `run` as a task."""

    def __init__(
        self,
        pools: Mapping[str, Pool],
        store: PoolStore,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        """`clock` returns seconds on a steady clock, `wall_clock` seconds since 1970. `new_id` returns a new id."""
        self.pools = {name: RunningPool(pool, store) for name, pool in pools.items()}
        self.entries = Entries(clock)
        self.house_faults: Mapping[str, str] = {}
        """Why house bots do not run, by name; set by the process that starts them."""
        self.seated_count = Counter[str]()
        """How many seats each pool has given to bots that are no house bots."""
        self.waited_s = dict.fromkeys(pools, 0.0)
        """How long these bots had waited, together."""
        self._store = store
        self._clock = clock
        self._wall_clock = wall_clock
        self._new_id = new_id
        self._open: dict[MatchId, SeatingRow] = {}
        """The matches that were made and have not ended."""
        self._refreshed_at = clock()
        self._making: set[asyncio.Task[None]] = set()

    async def load(self) -> None:
        """Read seasons, ratings and unfinished matches. Raises StoreError, OptionError."""
        for running in self.pools.values():
            await running.load(self._wall_clock())
            for seating in await self._store.unended_seatings(running.pool.name):
                self._open[seating.match_id] = seating
                for each in seating.seated:
                    self.entries.hold(seating.pool, (each.bot, each.instance))

    # ---- what happens on the node

    def on_session_connected(self, session: PoolSession) -> None:
        """Enter a session into the pools that it wants, and tell it how many seats it gets in each.

        A house bot is entered into its pools, whatever its program says. What an earlier stream of the session wanted
        counts no more: that stream is not closed, but replaced.
        """
        self.entries.forget(session.key)
        house = {
            name: HOUSE_SEATS for name, running in self.pools.items() if session.key[0] in running.pool.house_names
        }
        for name, wanted in (dict(session.pools) | house).items():
            running = self.pools.get(name)
            if running is None:
                known = ", ".join(self.pools) or "none"
                session.send_pool_notice(Notice(name, 0, "unknown_pool", f"the pools of this server are: {known}"))
            else:
                self.entries.enter(running, session, wanted)

    def on_session_closed(self, session: PoolSession) -> None:
        """Take a session out of its pools. It keeps the seats that it holds."""
        self.entries.leave(session)

    def on_match_ended(self, outcome: MatchOutcome) -> None:
        """Free the seats of a match, move the live ratings, and note who did not behave."""
        seating = self._open.pop(outcome.match_id, None)
        if seating is None:
            return
        self._free_seats(seating)
        running = self.pools[seating.pool]
        is_rated = seating.rated and running.season is not None and seating.season == running.season.season
        for seats, places in outcome.games if is_rated else ():
            bots = [seating.seated[entrant] for entrant in seats]
            running.ratings.add_game([(each.bot, each.version) for each in bots], places)
        has_begun = all(each.has_accepted for each in outcome.entrants)
        for each, seated in zip(outcome.entrants, seating.seated, strict=True):
            if not seated.is_house and (has_begun or not each.has_accepted):
                self.entries.note_outcome(seating.pool, (seated.bot, seated.instance), each)

    def is_open_match(self, match_id: MatchId) -> bool:
        """Return whether a pool has made this match and it has not ended."""
        return match_id in self._open

    def open_matches(self, pool: str) -> list[MatchId]:
        """Return the matches of a pool that have not ended, newest first; from another thread too, as metrics do."""
        return sorted((match for match, seating in list(self._open.items()) if seating.pool == pool), reverse=True)

    # ---- rounds

    async def run(self, host: MatchHost) -> None:
        """Make matches until this task is cancelled. While the store cannot be written, none is made."""
        while True:
            await asyncio.sleep(ROUND_INTERVAL_S)
            try:
                await self.play_round(host)
            except StoreError as error:
                log.warning("the matchmaker waits for the store", fault=str(error))
                await asyncio.sleep(RETRY_S)

    async def play_round(self, host: MatchHost) -> None:
        """Begin to make the matches that are possible now, in all pools. Raises StoreError."""
        if self._clock() - self._refreshed_at >= REFRESH_INTERVAL_S:
            self._refreshed_at = self._clock()
            await self._refresh(host)
        for running in self.pools.values():
            if running.season is not None:
                await self._play_round(running, running.season.season, host)

    async def close(self) -> None:
        """Return when every match that is being made is offered or refused."""
        while self._making:
            await asyncio.wait(self._making)

    async def _play_round(self, running: RunningPool, season: int, host: MatchHost) -> None:
        seekers = self.entries.find_seekers(running, host)
        if not seekers:
            return
        house, settings = self.entries.find_house(running, host), running.pool.settings
        meetings = running.count_meetings([each.bot for each in (*seekers, *house)])
        inputs = MatchmakingInput(
            self._new_id(), settings.seats, tuple(seekers), tuple(house), settings.house_after_s, meetings
        )
        tables = seat_tables(inputs)
        if not tables:
            return
        await self._store.add_round(
            RoundRow(inputs.round_id, running.pool.name, self._wall_clock(), describe_inputs(inputs))
        )
        for table in tables:
            for seated in table.seated:
                self.entries.hold(running.pool.name, seated.key)
            task = asyncio.create_task(self._make_match(running, season, inputs.round_id, table, host))
            self._making.add(task)
            task.add_done_callback(self._making.discard)

    async def _make_match(
        self, running: RunningPool, season: int, round_id: str, table: Table, host: MatchHost
    ) -> None:
        """Make the match of a table. If it is refused, its bots wait on."""
        pool = running.pool

        async def store_seating(match_id: MatchId) -> None:
            seating = SeatingRow(
                match_id=match_id,
                pool=pool.name,
                season=season,
                round_id=round_id,
                at=self._wall_clock(),
                rated=pool.settings.rated,
                seated=tuple(SeatedBot(**asdict(each), is_house=each.bot in table.house) for each in table.seated),
                reason=table.describe_reason(),
            )
            await self._store.add_seating(seating)
            self._open[match_id] = seating
            waits = [each.waited_s for each in seating.seated if not each.is_house]
            self.seated_count[pool.name] += len(waits)
            self.waited_s[pool.name] += sum(waits)

        try:
            names = [each.bot for each in table.seated]
            await host.make_match(pool.request_terms(names), dict(each.key for each in table.seated), store_seating)
            running.note_meeting(names)
        except ArenaError as error:
            log.info("a match of a pool was refused", pool=pool.name, bots=names, fault=str(error))
            for each in table.seated:
                self.entries.release(pool.name, each.key, self._clock() - each.waited_s)
                if each.bot not in table.house:
                    self.entries.delay(pool.name, each.key, RETRY_S)

    async def _refresh(self, host: MatchHost) -> None:
        """Take over newer fits, begin seasons, give seats back, and free the seats of matches that have vanished."""
        self.entries.lift_restrictions()
        for running in self.pools.values():
            had_season = running.season is not None
            await running.refresh(self._wall_clock())
            if had_season and running.season is None:
                self.entries.close_pool(running.pool)
        vanished = [each for each in self._open if not host.is_open(each)]
        for match_id in vanished:
            self._free_seats(self._open.pop(match_id))
        if vanished:
            await self._store.drop_seatings(vanished)

    def _free_seats(self, seating: SeatingRow) -> None:
        for each in seating.seated:
            self.entries.release(seating.pool, (each.bot, each.instance))
