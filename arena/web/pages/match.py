"""The page of a match: its terms and why these play, and once it is over its results, strikes and proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from arena.match.options import format_option
from arena.match.referee.ports import MatchId, MatchSummary
from arena.web.live.event import LiveView, live_values
from arena.web.page import NEWEST, SETTLED, Asked, Page, Parameter, page_at
from arena.web.pages.matches import MatchLine, find_match, match_line
from arena.web.projection import project
from arena.web.sources import Sources

MATCH_ID = Parameter("match_id", "The id of the match, 26 characters.", in_path=True)
_POOL = Parameter("pool", "The pool whose tables the page follows, one after the other.")


@dataclass(frozen=True, slots=True)
class SeatedEntrant:
    """An entrant, as the matchmaker knew it."""

    bot: str
    version: str
    rating: float
    spread: float
    """Standard deviation of the rating, in points."""
    waited_s: float
    cost: float | None
    """What it cost to choose this opponent; the least is chosen first. Null for the bot that chose."""
    is_house: bool


@dataclass(frozen=True, slots=True)
class PoolSeating:
    """The seating of a match by a pool."""

    pool: str
    season: int
    round_id: str
    at: float
    """Seconds since 1970."""
    first: str
    """The bot that had waited longest, and chose the others."""
    seated: Sequence[SeatedEntrant]
    """By entrant."""


async def find_seating(sources: Sources, line: MatchLine) -> PoolSeating | None:
    """Return the seating of a match; None if no pool has made it, or while it may tell who plays elsewhere.

    Its costs count who has met whom, also in anonymous matches of the pool that run.
    """
    reader = sources.store.pools
    found = None if line.is_anonymous else await reader.seating(MatchId(line.match_id))
    if found is None:
        return None
    season = await reader.season(found.pool, found.season)
    if season is not None and season.settings["terms"]["anonymous"]:
        made = (await reader.rounds([found.round_id]))[found.round_id]
        if await reader.is_round_secret(made, sources.clock()):
            return None
    costs = found.reason.get("costs", {})
    seated = [project(each, SeatedEntrant, cost=costs.get(each.bot)) for each in found.seated]
    return project(found, PoolSeating, first=found.reason.get("first", ""), seated=seated)


@dataclass(frozen=True, slots=True)
class EntrantResult:
    """An entrant of the match."""

    name: str
    places: Sequence[int]
    """Its place in each finished game; 1 is best."""
    place_sum: int | None
    strikes: Mapping[str, int]
    """Number of strikes by kind; kinds without strikes are left out."""


@dataclass(frozen=True, slots=True)
class GameLine:
    """A finished game of the match."""

    game: int
    """From 0."""
    termination: str
    turn_count: int
    places: Sequence[int]
    """By entrant."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What fixed the cards before the match, and whether it is opened."""

    commitment: str
    chain_number: int
    chain_link: str
    is_opened: bool


@dataclass(frozen=True, slots=True)
class MatchView:
    """What the page of a match shows."""

    match: MatchLine
    rules_version: str
    is_rated: bool
    seating: str
    options: Mapping[str, str]
    """The options of the rules."""
    pace: Mapping[str, str]
    """The times of the match."""
    entrants: Sequence[EntrantResult]
    games: Sequence[GameLine]
    """Empty until the match is over."""
    proof: Proof | None
    """None if no deal was committed, as in old versions."""
    pool_seating: PoolSeating | None
    """Why these play together; null if no pool has made the match, or while names are hidden."""
    live: LiveView | None = None
    """The table now, as spectators see it; None when the match is over, and if the site follows too many others."""


@page_at("/matches/{match_id}", "A match", MatchView, MATCH_ID, _POOL)
async def read_match(asked: Asked) -> Page:
    summary = await find_match(asked)
    leagues = await asked.sources.store.leagues.names_by_id()
    line = match_line(summary, leagues, is_served=asked.sources.is_running())
    view = build_match_view(summary, line, await find_seating(asked.sources, line))
    pool, rendered = asked.text("pool"), None
    if not view.match.is_over and (followed := await asked.sources.tables.find(summary.row.match_id)) is not None:
        rendered = followed.render()
        view = replace(view, live=rendered.view)
    following = f"/pools/{quote(pool, safe='')}/live?after={line.match_id}" if pool else ""
    values = {"site_url": asked.site_url, **live_values(rendered, following)}
    return Page("match.html", view, values, SETTLED if view.match.is_open else NEWEST)


def build_match_view(summary: MatchSummary, line: MatchLine, seating: PoolSeating | None) -> MatchView:
    """Return what everybody may see of a match: before its end, only its terms and its entrants."""
    row, terms, deal = summary.row, summary.row.terms, summary.deal
    games = summary.games if line.is_over else ()
    strikes = row.strikes if line.is_over else ()
    return MatchView(
        match=line,
        rules_version=terms["rules_version"],
        is_rated=row.rated,
        seating=terms["seating"],
        options={name: format_option(value) for name, value in terms["ruleset"].items()},
        pace={name: format_option(value) for name, value in terms["pace"].items()},
        entrants=[
            EntrantResult(
                name,
                [game.places[number] for game in games],
                line.place_sums[number] if line.place_sums else None,
                {kind: count for kind, count in strikes[number].items() if count} if strikes else {},
            )
            for number, name in enumerate(line.entrants)
        ],
        games=[project(game, GameLine) for game in games],
        proof=None
        if deal is None
        else Proof(deal.commitment.hex(), deal.number, deal.link.hex(), deal.revealed is not None),
        pool_seating=seating,
    )
