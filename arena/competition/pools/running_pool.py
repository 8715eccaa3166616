"""A pool while its server runs: its season, the live ratings, and who met whom."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import hypot
from typing import Final

from arena.competition.pools.live_ratings import FIRST_SPREAD, LiveRatings
from arena.competition.pools.pool import Pool
from arena.competition.pools.ports import OPEN, FitRow, PoolStore, RatingRow, SeasonRow
from arena.competition.pools.standings import count_versions, order_standings
from arena.errors import OptionError
from arena.ids import WallTime
from arena.typed_command import plain_command

MEETINGS_KEPT: Final = 20
"""The matchmaker remembers the opponents of each bot in this many matches."""
MEETINGS_READ: Final = 5_000
"""How many matches are read at the start to learn who met whom."""
MAX_VERSIONS: Final = 50
"""The most versions of a bot in a season."""
SEASON_SPREAD: Final = 100.0
"""By how much the strength of a bot changes between seasons, as a standard deviation in points."""


class RunningPool:
    """The state of one pool. Call `load` first."""

    def __init__(self, pool: Pool, store: PoolStore) -> None:
        self.pool = pool
        self.ratings = LiveRatings(pool.seats)
        self.season: SeasonRow | None = None
        """The season that is played; None if the last one is over."""
        self.newest_season: SeasonRow | None = None
        """The season that is played or, if the last one is over, that one; None if there never was one."""
        self._store = store
        self._fitted_at: float | None = None
        """When the fit was made at which the live ratings began; 0 without a fit, None if they have to begin again."""
        self._opponents: dict[str, deque[tuple[str, ...]]] = {}
        self._versions: dict[str, set[str]] = {}

    async def load(self, now: WallTime) -> None:
        """Read the season, the ratings and the meetings.

        Raises StoreError, and OptionError if the rules of the pool have changed within a season.
        """
        await self._enter_season(now)
        for bots in reversed(await self._store.recent_meetings(self.pool.name, MEETINGS_READ)):
            self.note_meeting(bots)
        await self.refresh(now)

    async def refresh(self, now: float) -> None:
        """Begin the next season if it is time, and take over a newer fit. Raises StoreError.

        The end of the season is read again, because `arena pool end-season` may have changed it.
        """
        if self.season is not None:
            self.season = self.newest_season = await self._store.newest_season(self.pool.name)
        if self.season is None or (self.season.ends_at is not None and now >= self.season.ends_at):
            await self._enter_season(now)
        if self.season is None:
            return
        fit = await self._store.newest_fit(self.pool.name, self.season.season)
        if self._fitted_at is None or (fit is not None and fit.fitted_at > self._fitted_at):
            await self._restart_ratings(self.season, fit)

    async def standings(self) -> Sequence[RatingRow]:
        """Return the standings of the season that is played or, after the last one, of that one. Raises StoreError."""
        return order_standings(await self._newest_ratings(), self.ratings)

    async def version_counts(self) -> Mapping[str, int]:
        """Return how many versions of each bot have played in the season of `standings`. Raises StoreError."""
        return count_versions(await self._newest_ratings(), self.ratings)

    def note_meeting(self, bots: Sequence[str]) -> None:
        """Note that these bots play a match."""
        for bot in bots:
            self._opponents.setdefault(bot, deque(maxlen=MEETINGS_KEPT)).append(tuple(bots))

    def count_meetings(self, bots: Sequence[str]) -> Mapping[frozenset[str], int]:
        """Return how often each pair of these bots has met in the recent matches of either."""
        wanted = set(bots)
        counts: dict[frozenset[str], int] = {}
        for bot in bots:
            met = Counter(other for table in self._opponents.get(bot, ()) for other in table if other in wanted)
            for other, count in met.items():
                if other != bot:
                    pair = frozenset((bot, other))
                    counts[pair] = max(count, counts.get(pair, 0))
        return counts

    def admit_version(self, bot: str, version: str) -> bool:
        """Note a version of a bot. Return False if the bot has too many versions in this season."""
        known = self._versions.setdefault(bot, set())
        if version not in known and len(known) >= MAX_VERSIONS:
            return False
        known.add(version)
        return True

    async def _newest_ratings(self) -> Sequence[RatingRow]:
        season = self.newest_season
        fit = None if season is None else await self._store.newest_fit(self.pool.name, season.season)
        return fit.ratings if fit else ()

    async def _enter_season(self, now: float) -> None:
        """Set the season that is played now; begin one if none is open. Raises OptionError."""
        pool, newest = self.pool, await self._store.newest_season(self.pool.name)
        is_played = newest is not None and newest.state == OPEN and (newest.ends_at is None or now < newest.ends_at)
        if newest is not None and is_played and newest.rules_digest != pool.rules_digest:
            raise OptionError(
                f"pools.{pool.name}",
                f"season {newest.season}",
                "its rules, pace or seats differ from the settings: end it with"
                f" {plain_command('pool', 'end-season', pool.name)}, or give the pool another name",
            )
        self._fitted_at = None
        self.newest_season = newest
        if is_played:
            self.season = newest
            return
        ends_at = pool.season_end(now)
        if ends_at is not None and ends_at <= now:
            self.season = None
            return
        number = newest.season + 1 if newest else 1
        self.season = self.newest_season = SeasonRow(
            pool.name, number, now, pool.rules_digest, pool.describe(), ends_at
        )
        await self._store.open_season(self.season)

    async def _restart_ratings(self, season: SeasonRow, fit: FitRow | None) -> None:
        """Begin the live ratings at a fit. Before the first fit of a season, begin where the season before ended."""
        if fit is None:
            last = await self._store.newest_fit(season.pool, season.season - 1)
            rows = [loosen(row) for row in last.ratings] if last else []
            games = await self._store.played_games(season.pool, season.season)
        else:
            rows = list(fit.ratings)
            games = await self._store.played_games(season.pool, season.season, fit.upto, fit.unended)
        self.ratings.start_from(rows, games)
        versions = await self._store.versions(season.pool, season.season)
        self._versions = {bot: set(found) for bot, found in versions.items()}
        self._fitted_at = 0.0 if fit is None else fit.fitted_at


def loosen(row: RatingRow) -> RatingRow:
    """Return the rating with which a bot begins the season after this one: the same value, and less certain."""
    return replace(row, spread=min(FIRST_SPREAD, hypot(row.spread, SEASON_SPREAD)), games=0)
