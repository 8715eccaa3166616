"""The standings of seasons, kept until the next fit: those of thousands of bots take longer than a page may."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from arena.competition.pools.ports import RatingRow, SeasonRow
from arena.competition.pools.standings import count_owner_bots, order_standings
from arena.server.store.open_store import Store
from arena.web.projection import project
from arena.web.workshop import Kept

_KEPT_S: Final = 60.0
"""How long standings are kept at most. A fit does not tell that an owner got another name."""
_MOST: Final = 64
"""The most seasons whose standings are kept."""


@dataclass(frozen=True, slots=True)
class VersionLine:
    """The rating of one version of a bot."""

    version: str
    rating: float
    low: float | None
    high: float | None
    """The 95 % interval; an unknown end is null."""
    games: int


@dataclass(frozen=True, slots=True)
class StandingLine:
    """A bot in the standings of a season. Its rating is that of the version that played last."""

    rank: int | None
    """From 1; null while the rating is provisional."""
    bot: str
    owner: str | None
    version: str
    rating: float
    low: float | None
    high: float | None
    """The 95 % interval; an unknown end is null."""
    games: int
    rated_games: float
    """How many games count for the rating: fewer than were played, if two owners met too often."""
    is_house: bool
    """Whether the server starts the bot itself."""
    versions: int
    """How many versions the bot has tried: of several equal ones, the best has been lucky."""
    owner_bots: int
    """How many bots of its owner have a rating in this season; 1 if it has no owner."""
    earlier: Sequence[VersionLine]
    """The other versions that have played, the newest first."""


@dataclass(frozen=True, slots=True)
class FittedStandings:
    """The standings of a season at its newest fit."""

    fitted_at: float | None
    """Seconds since 1970; None before the first fit."""
    games: int
    """Games that count for the ratings."""
    lines: Sequence[StandingLine]


class PoolStandings:
    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._kept: dict[tuple[str, int], Kept[FittedStandings]] = {}
        self._making = asyncio.Lock()

    async def read(self, season: SeasonRow) -> FittedStandings:
        """Return the newest standings of a season. Raises StoreError."""
        key = (season.pool, season.season)
        fitted_at = await self._store.pools.fitted_at(*key)
        async with self._making:
            kept = self._kept.get(key)
            if kept is None or kept.version != (fitted_at, season) or self._monotonic() - kept.at > _KEPT_S:
                made = await self._make(season)
                kept = Kept(made, len(made.lines), (made.fitted_at, season), self._monotonic())
                self._kept.pop(key, None)
                self._kept[key] = kept
                for oldest in list(self._kept)[:-_MOST]:
                    del self._kept[oldest]
        return kept.value

    async def _make(self, season: SeasonRow) -> FittedStandings:
        fit = await self._store.pools.newest_fit(season.pool, season.season)
        if fit is None:
            return FittedStandings(None, 0, ())
        owners = await self._store.owners.owners_of({row.bot for row in fit.ratings})
        lines = await asyncio.to_thread(build_standings, season, fit.ratings, owners)
        return FittedStandings(fit.fitted_at, fit.games, lines)


def build_standings(season: SeasonRow, ratings: Iterable[RatingRow], owners: Mapping[str, str]) -> list[StandingLine]:
    """Return the standings of a season: those with a rank first, then the provisional ones, each by rating."""
    house = season.settings.get("house_bots", ())
    rated = sorted(ratings, key=attrgetter("bot"))
    versions = {bot: list(rows) for bot, rows in groupby(rated, attrgetter("bot"))}
    owner_bots = count_owner_bots(versions, owners)
    lines: list[StandingLine] = []
    for number, each in enumerate(order_standings(rated), start=1):
        earlier = sorted(versions[each.bot], key=attrgetter("last_match"), reverse=True)
        lines.append(
            project(
                each,
                StandingLine,
                rank=None if each.is_provisional else number,
                owner=owners.get(each.bot),
                is_house=each.bot in house,
                versions=len(versions[each.bot]),
                owner_bots=owner_bots[each.bot],
                earlier=[project(row, VersionLine) for row in earlier if row.version != each.version],
            )
        )
    return lines
