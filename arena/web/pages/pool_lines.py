"""Pools and their standings, as lists show them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from arena.competition.pools.ports import CLOSED, FitRow, RatingRow, SeasonRow
from arena.competition.pools.standings import count_owner_bots, order_standings
from arena.web.page import project
from arena.web.sources import Sources

_TOP = 3


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
class PoolLine:
    """A pool in a list, with its newest season."""

    pool: str
    season: int
    game: str
    preset: str
    ends_at: float | None
    """When the season ends, in seconds since 1970; null if it has no end."""
    is_over: bool
    bots: int
    """Bots that have a rating."""
    games: int
    """Games that count for the ratings."""
    running: int
    """Matches that run."""
    top: Sequence[StandingLine]
    """The first three of those with a rank."""
    provisional: Sequence[StandingLine]
    """The first three of those without one: too few games, or too wide an interval."""


async def find_pool_lines(sources: Sources) -> list[PoolLine]:
    """Return all pools by name."""
    reader = sources.store.pools
    running = await reader.count_running()
    return [
        _pool_line(season, await reader.newest_fit(season.pool, season.season), running.get(season.pool, 0), sources)
        for season in await reader.newest_seasons()
    ]


def is_over(season: SeasonRow, now: float) -> bool:
    """Return whether a season takes no more games. `now` is in seconds since 1970."""
    return season.state == CLOSED or (season.ends_at is not None and season.ends_at <= now)


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


def _pool_line(season: SeasonRow, fit: FitRow | None, running: int, sources: Sources) -> PoolLine:
    standings = build_standings(season, () if fit is None else fit.ratings, {})
    return project(
        season,
        PoolLine,
        game=season.settings["terms"]["game"],
        preset=season.settings["terms"]["preset"],
        is_over=is_over(season, sources.clock()),
        bots=len(standings),
        games=0 if fit is None else fit.games,
        running=running,
        top=[each for each in standings if each.rank is not None][:_TOP],
        provisional=[each for each in standings if each.rank is None][:_TOP],
    )
