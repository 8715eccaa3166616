"""The page of a bot: its ratings, opponents, figures and newest matches, as everybody may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final
from urllib.parse import urlencode

from arena.competition.pools.ports import RatingRow, SeasonRow
from arena.competition.pools.season_ratings import FIRST_PLACES, POINTS
from arena.match.referee.ports import MatchSearch
from arena.organizer.report.rating_charts import CoursePoint, RatingCourse, build_rating_course
from arena.web.errors import RefusedError
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.pages.matches import MatchLine, find_lines
from arena.web.pages.pool import MeetingLine, meeting_line
from arena.web.pool_standings import VersionLine
from arena.web.projection import project
from arena.web.sources import Sources

_MATCHES: Final = 20
"""Matches on one page."""
_POOLS: Final = 6
"""Seasons on one page."""
_OPPONENTS: Final = 50
_HOUR_S: Final = 3_600
_STRIKES: Final = "strikes_"
"""What the names of the figures that count strikes begin with."""


@dataclass(frozen=True, slots=True)
class FigureLine:
    """Figures that only one game has."""

    heading: str
    meaning: str
    """What the numbers of the text are, with slashes between them; empty if the heading says it."""
    text: str


@dataclass(frozen=True, slots=True)
class BotVersion:
    """How one version of a bot has played in a season."""

    rating: VersionLine
    is_provisional: bool
    matches: int
    points: float
    """The share of its opponents that it beat, over all games."""
    first_places: int
    think_s: float | None
    """Mean think time for each decision, in seconds; null without decisions."""
    slowest_share: float
    """The largest share of its allowed time that a decision took."""
    figures: Sequence[FigureLine]
    faults: Mapping[str, int]
    """Number of strikes by kind; kinds without strikes are left out."""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """The rating of a version at the end of an hour, or at the last computation if that hour is not over."""

    at: float
    """Seconds since 1970."""
    rating: VersionLine


@dataclass(frozen=True, slots=True)
class BotSeason:
    """A bot in one season of a pool."""

    pool: str
    season: int
    game: str
    is_house: bool
    """Whether the server starts the bot itself."""
    versions: Sequence[BotVersion]
    """The version that played last is first."""
    course: Sequence[RatingPoint]
    """The rating over time, oldest first."""
    opponents: Sequence[MeetingLine]
    """Whom the bot met, the most frequent first; at most fifty."""


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What the owner says of the bot; what is not said is empty."""

    text: str
    language: str
    link: str
    """An address with http or https."""


@dataclass(frozen=True, slots=True)
class BotView:
    """What everybody may know of a bot."""

    bot: str
    owner: str | None
    profile: ProfileView
    submitted_version: str | None
    """The active version of the packages that its owner has submitted; null if none is active."""
    seasons: Sequence[BotSeason]
    """The newest season of each pool in which it is rated, or the requested season."""
    others: Sequence[tuple[str, int]]
    """The pool and the number of the other seasons."""
    matches: Sequence[MatchLine]
    """Newest first, without anonymous matches that run."""
    next: str | None
    """The query of the page with older matches; null on the last page."""


@page_at(
    "/bots/{name}",
    "A bot",
    BotView,
    Parameter("name", "The name of the bot.", in_path=True),
    Parameter("pool", "Only this pool."),
    Parameter("season", "With a pool: this season of it.", int),
    Parameter("before", "Only matches older than the one with this id."),
)
async def read_bot(asked: Asked) -> Page:
    sources, bot = asked.sources, asked.part("name")
    before = asked.text("before")
    matches, following = await _find_matches(sources, bot, before)
    owner = (await sources.store.owners.owners_of([bot])).get(bot)
    wanted = MatchSearch(bot=bot, shows_names=True)
    if not matches and owner is None and not await sources.store.results.summaries(1, None, wanted):
        raise RefusedError(404, f"there is no bot {bot[:64]!r} here")
    rated = await sources.store.pools.seasons_of(bot)
    chosen = _choose_seasons(rated, asked.text("pool"), asked.number("season", 1, 10**8))
    seasons = [each for key in chosen if (each := await _read_season(sources, bot, *key)) is not None]
    active = await sources.store.submissions.find_active(bot)
    view = BotView(
        bot=bot,
        owner=owner,
        profile=project(await sources.store.profiles.find(bot), ProfileView),
        submitted_version=None if active is None else active.version,
        seasons=seasons,
        others=[key for key in rated if key not in chosen],
        matches=matches,
        next=following,
    )
    courses = [_draw_course(season) for season in seasons]
    return Page("bot.html", view, {"courses": courses, "is_first": before is None})


async def _find_matches(sources: Sources, bot: str, before: str | None) -> tuple[list[MatchLine], str | None]:
    """Return a page of a bot's matches, and the query of the next page. Where names are hidden, the bot's is too."""
    found = await find_lines(sources, _MATCHES + 1, before, MatchSearch(bot=bot, shows_names=True))
    following = urlencode({"before": found[_MATCHES - 1].match_id}) if len(found) > _MATCHES else None
    return found[:_MATCHES], following


def _choose_seasons(rated: Sequence[tuple[str, int]], pool: str | None, season: int | None) -> list[tuple[str, int]]:
    """Return the seasons to show: those requested, or else the newest one of each pool."""
    if pool is not None:
        return [key for key in rated if key[0] == pool and season in (None, key[1])][:1]
    newest: dict[str, tuple[str, int]] = {}
    for key in rated:
        newest.setdefault(key[0], key)
    return list(newest.values())[:_POOLS]


async def _read_season(sources: Sources, bot: str, pool: str, number: int) -> BotSeason | None:
    reader = sources.store.pools
    season = await reader.season(pool, number)
    if season is None:
        return None
    game = str(season.settings["terms"]["game"])
    meetings = await reader.meetings(pool, number, bot)
    fitted_at = await reader.fitted_at(pool, number) or inf  # the last hour may not be over
    return BotSeason(
        pool=pool,
        season=number,
        game=game,
        is_house=bot in season.settings.get("house_bots", ()),
        versions=[_bot_version(row, season, sources) for row in await reader.ratings_of(bot, pool, number)],
        course=[
            RatingPoint(min(float((hour + 1) * _HOUR_S), fitted_at), project(row, VersionLine))
            for hour, row in await reader.points(bot, pool, number)
        ],
        opponents=[meeting_line(row) for row in sorted(meetings, key=lambda row: -row.games)[:_OPPONENTS]],
    )


def _bot_version(row: RatingRow, season: SeasonRow, sources: Sources) -> BotVersion:
    figures, decisions = row.figures, row.figures.get("decisions", 0)
    game = season.settings["terms"]["game"]
    columns = sources.columns_of(game) if game in sources.games else ()
    counts = {name: int(value) for name, value in figures.items() if float(value).is_integer()}
    strikes = {name.removeprefix(_STRIKES): count for name, count in counts.items() if name.startswith(_STRIKES)}
    return BotVersion(
        rating=project(row, VersionLine),
        is_provisional=row.is_provisional,
        matches=counts.get("matches", 0),
        points=figures.get(POINTS, 0.0) / row.games if row.games else 0.0,
        first_places=counts.get(FIRST_PLACES, 0),
        think_s=figures.get("think_s", 0.0) / decisions if decisions else None,
        slowest_share=figures.get("slowest_share", 0.0),
        figures=[FigureLine(each.heading, each.meaning, each.format_cell(counts)) for each in columns],
        faults=strikes,
    )


def _draw_course(season: BotSeason) -> RatingCourse | None:
    """The line of the version that played last is on top."""
    points: dict[str, list[CoursePoint]] = {}
    for version in reversed(season.versions):
        points[version.rating.version] = []
    for point in season.course:
        rating = point.rating
        points.setdefault(rating.version, []).append(CoursePoint(point.at, rating.rating, rating.low, rating.high))
    return build_rating_course(points)
