"""The pages of a pool: its settings, standings, meetings and matches in a season."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Final
from urllib.parse import quote, urlencode

from arena.competition.league.elo_scale import MEAN_RATING
from arena.competition.pools.ports import MeetingRow, SeasonRow
from arena.match.options import format_option
from arena.match.referee.ports import MatchSearch
from arena.organizer.report.charts import HeatTable, build_interval_chart, pairwise_table
from arena.organizer.report.report_page import PAGE as REPORT_PAGE
from arena.plurals import format_count
from arena.web.errors import RefusedError
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.pages.matches import MatchLine, find_lines
from arena.web.pages.pool_lines import PoolLine, find_pool_lines, is_over
from arena.web.pool_standings import StandingLine
from arena.web.projection import project
from arena.web.sources import Sources

_MATCHES: Final = 10
"""Running matches on this page, and as many that have ended."""
_STANDINGS: Final = 100
"""Bots on one page of the standings."""
_MET: Final = 20
"""Bots in the table of meetings."""
_SEASONS: Final = 50
"""Seasons that this page names."""
NAME: Final = Parameter("name", "The name of the pool.", in_path=True)
SEASON: Final = Parameter("season", "The number of the season, from 1.", int, in_path=True)
BELOW: Final = Parameter("below", "Only the bots that are below this one in the standings.")


@dataclass(frozen=True, slots=True)
class PoolList:
    """All pools."""

    pools: Sequence[PoolLine]


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A season in a list. Times are in seconds since 1970."""

    season: int
    started_at: float
    ends_at: float | None
    is_over: bool
    report: str | None
    """The path of its published report; null while there is none."""


@dataclass(frozen=True, slots=True)
class PoolSettingsView:
    """What is played in a pool."""

    game: str
    preset: str
    rules_version: str
    seats: int
    game_count: int
    """Games of each match."""
    is_rated: bool
    is_anonymous: bool
    house_bots: Sequence[str]
    options: Mapping[str, str]
    """The options of the rules."""
    pace: Mapping[str, str]
    """The times of a match."""


@dataclass(frozen=True, slots=True)
class MeetingLine:
    """How often a bot met another one."""

    bot: str
    other: str
    games: int
    ahead: float
    """The share of these games in which the bot finished ahead; a tie counts half."""


@dataclass(frozen=True, slots=True)
class PoolView:
    """A pool in one season."""

    pool: str
    season: SeasonLine
    settings: PoolSettingsView
    idle_house_bots: Sequence[str]
    """House bots that do not run although they should."""
    fitted_at: float | None
    """When the ratings were computed, in seconds since 1970; null before the first game."""
    games: int
    """Games that count for the ratings."""
    bots: int
    """Bots that have a rating."""
    standings: Sequence[StandingLine]
    """At most 100 of them, in order."""
    next: str | None
    """The query of the page with the bots below these; null on the last page."""
    meetings: Sequence[MeetingLine]
    """Who met whom, of the bots with the most games; each pair twice."""
    running: Sequence[MatchLine]
    newest: Sequence[MatchLine]
    """Matches that have ended, the newest first."""
    seasons: Sequence[SeasonLine]
    """The newest seasons, newest first."""


@page_at("/pools", "All pools", PoolList)
async def read_pools(asked: Asked) -> Page:
    return Page("pools.html", PoolList(await find_pool_lines(asked.sources)))


@page_at("/pools/{name}/seasons/{season}", "A pool in one season", PoolView, NAME, SEASON, BELOW)
@page_at("/pools/{name}", "A pool in its newest season", PoolView, NAME, BELOW)
async def read_pool(asked: Asked) -> Page:
    sources, season = asked.sources, await find_season(asked)
    reader, key = sources.store.pools, (season.pool, season.season)
    fitted = await sources.standings.read(season)
    standings, following = _page_of(fitted.lines, asked.text("below"))
    met = _choose_most_played(fitted.lines)
    meetings = await reader.meetings(*key, among=met) if met else ()
    view = PoolView(
        pool=season.pool,
        season=_season_line(season, sources),
        settings=_settings_view(season),
        idle_house_bots=[each for each in sources.idle_house_bots() if each in season.settings.get("house_bots", ())],
        fitted_at=fitted.fitted_at,
        games=fitted.games,
        bots=len(fitted.lines),
        standings=standings,
        next=following,
        meetings=[meeting_line(row) for row in meetings],
        running=await find_lines(sources, _MATCHES, wanted=MatchSearch(season=key, state="running")),
        newest=await find_lines(sources, _MATCHES, wanted=MatchSearch(season=key, state="ended")),
        seasons=[_season_line(each, sources) for each in await reader.seasons_of_pool(season.pool, _SEASONS)],
    )
    values = {
        "is_first": asked.text("below") is None,
        "chart": build_interval_chart([(each.rating, each.low, each.high) for each in standings], MEAN_RATING),
        "met": _meeting_table(met, view.meetings),
    }
    return Page("pool.html", view, values)


def _page_of(lines: Sequence[StandingLine], below: str | None) -> tuple[Sequence[StandingLine], str | None]:
    """Return a page of the standings, and the query of the next page. Below a bot that is not rated is nobody."""
    places = (place for place, line in enumerate(lines, start=1) if line.bot == below)
    start = 0 if below is None else next(places, len(lines))
    shown = lines[start : start + _STANDINGS]
    following = urlencode({"below": shown[-1].bot}) if start + _STANDINGS < len(lines) else None
    return shown, following


def _choose_most_played(lines: Sequence[StandingLine]) -> list[str]:
    """Return the bots with the most games, in the order of the standings."""
    chosen = {each.bot for each in nsmallest(_MET, lines, key=lambda each: (-each.games, each.bot))}
    return [each.bot for each in lines if each.bot in chosen]


async def find_season(asked: Asked) -> SeasonRow:
    """Return the season that a path names, or the newest one of its pool. Raises RefusedError if there is none."""
    pool, number, store = asked.part("name"), asked.number_in_path("season"), asked.sources.store
    if number is None:
        found = await store.pools.newest_season(pool)
        what = f"pool {pool[:64]!r}"
    else:
        found = await store.pools.season(pool, number)
        what = f"season {number} of pool {pool[:64]!r}"
    if found is None:
        raise RefusedError(404, f"there is no {what} here")
    return found


def meeting_line(row: MeetingRow) -> MeetingLine:
    return project(row, MeetingLine, ahead=row.points / row.games)


def _season_line(season: SeasonRow, sources: Sources) -> SeasonLine:
    path = f"/pools/{quote(season.pool)}/seasons/{season.season}/report/{REPORT_PAGE}"
    return project(season, SeasonLine, is_over=is_over(season, sources.clock()), report=path if season.report else None)


def _settings_view(season: SeasonRow) -> PoolSettingsView:
    settings: Mapping[str, Any] = season.settings
    terms = settings["terms"]
    return PoolSettingsView(
        game=terms["game"],
        preset=terms["preset"],
        rules_version=terms["rules_version"],
        seats=settings["seats"],
        game_count=terms["game_count"],
        is_rated=terms["rated"],
        is_anonymous=terms.get("anonymous", False),
        house_bots=settings.get("house_bots", ()),
        options={name: format_option(value) for name, value in terms["ruleset"].items()},
        pace={name: format_option(value) for name, value in terms["pace"].items()},
    )


def _meeting_table(bots: Sequence[str], meetings: Sequence[MeetingLine]) -> HeatTable | None:
    """Return the shaded table of who finished ahead of whom; None if nobody has met."""
    by_pair = {(each.bot, each.other): each for each in meetings}
    matrix = [[by_pair[one, other].ahead if (one, other) in by_pair else None for other in bots] for one in bots]

    def describe(row: int, column: int, share: str) -> str:
        games = format_count(by_pair[bots[row], bots[column]].games, "game")
        return f"{bots[row]} finished ahead of {bots[column]} in {share} of {games}"

    return pairwise_table(bots, matrix, describe) if meetings else None
