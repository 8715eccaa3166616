"""Pools and their standings, as lists show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.competition.pools.ports import CLOSED, SeasonRow
from arena.web.pool_standings import FittedStandings, StandingLine
from arena.web.projection import project
from arena.web.sources import Sources

_TOP = 3


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
        _pool_line(season, await sources.standings.read(season), running.get(season.pool, 0), sources)
        for season in await reader.newest_seasons()
    ]


def is_over(season: SeasonRow, now: float) -> bool:
    """Return whether a season takes no more games. `now` is in seconds since 1970."""
    return season.state == CLOSED or (season.ends_at is not None and season.ends_at <= now)


def _pool_line(season: SeasonRow, fitted: FittedStandings, running: int, sources: Sources) -> PoolLine:
    standings = fitted.lines
    return project(
        season,
        PoolLine,
        game=season.settings["terms"]["game"],
        preset=season.settings["terms"]["preset"],
        is_over=is_over(season, sources.clock()),
        bots=len(standings),
        games=fitted.games,
        running=running,
        top=[each for each in standings if each.rank is not None][:_TOP],
        provisional=[each for each in standings if each.rank is None][:_TOP],
    )
