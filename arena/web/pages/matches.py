"""Matches in lists and one by one, as everybody may see them. Of a match that runs, only its terms are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlencode

from arena.ids import ID_LENGTH
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.ports import DealRow, MatchId, MatchSearch, MatchSummary
from arena.replays.library.library_entry import LibraryEntry
from arena.web.errors import RefusedError
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.sources import Sources


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list."""

    match_id: str
    created_at: float
    """When it began, in seconds since 1970."""
    game: str
    preset: str
    state: str
    """`running`, `interrupted` if it waits for a server, or how it ended."""
    is_over: bool
    entrants: Sequence[str]
    """By number. While an anonymous match runs, these are no names."""
    game_count: int
    games_finished: int
    """0 until the match is over."""
    place_sums: Sequence[int]
    """By entrant: the sum of its places over the finished games; empty until the match is over."""
    is_open: bool
    """Whether its cards may be seen: it is over, and no other game may still use its deal."""
    is_anonymous: bool
    """Whether the names of the entrants are hidden, because the match is anonymous and runs."""
    league: str | None = None
    """The league or comparison of the match, if it is known."""

    @property
    def ranked(self) -> list[tuple[str, int | None]]:
        """The entrants with the sums of their places, the best first; before the end by number, without sums."""
        return self.rank(self.place_sums) if self.place_sums else [(name, None) for name in self.entrants]

    def rank(self, figures: Sequence[int]) -> list[tuple[str, int | None]]:
        """Return the entrants with their figures, the least first."""
        return sorted(zip(self.entrants, figures, strict=True), key=itemgetter(1))


async def find_lines(
    sources: Sources, limit: int, before: str | None = None, wanted: MatchSearch | None = None
) -> list[MatchLine]:
    """Return at most `limit` wanted matches older than `before`, newest first."""
    older = None if before is None else MatchId(before)
    summaries = await sources.store.results.summaries(limit, older, wanted or MatchSearch())
    leagues = await sources.store.leagues.names_by_id() if summaries else {}
    is_served = sources.is_running()
    return [match_line(summary, leagues, is_served=is_served) for summary in summaries]


def match_line(summary: MatchSummary, leagues: Mapping[str, str], *, is_served: bool) -> MatchLine:
    """Return what everybody may see of a match. `is_served` says whether a server uses the data folder."""
    row, is_over = summary.row, summary.row.state == "ended"
    games = summary.games if is_over else ()
    numbers = range(len(row.entrants))
    return MatchLine(
        match_id=row.match_id,
        created_at=row.created_at,
        game=row.game,
        preset=row.preset,
        state=row.termination if is_over else "running" if is_served else "interrupted",
        is_over=is_over,
        entrants=visible_entrants(row.terms, row.entrants, is_over=is_over),
        game_count=row.terms["game_count"],
        games_finished=len(games),
        place_sums=[sum(game.places[number] for game in games) for number in numbers] if games else [],
        is_open=summary.are_cards_open,
        is_anonymous=hides_names(row.terms, is_over=is_over),
        league=league_of(summary.deal, leagues),
    )


def visible_entrants(terms: Mapping[str, Any], entrants: Sequence[str], *, is_over: bool) -> list[str]:
    """A spectator of an anonymous match sees no names while it runs."""
    is_hidden = hides_names(terms, is_over=is_over)
    return [f"entrant {number}" if is_hidden else name for number, name in enumerate(entrants)]


def hides_names(terms: Mapping[str, Any], *, is_over: bool) -> bool:
    """Return whether a spectator of a match may not know who plays."""
    return bool(terms.get("anonymous", False)) and not is_over


def league_of(deal: DealRow | None, leagues: Mapping[str, str]) -> str | None:
    """Return the name of the league whose deal this is; None if it is no league's. `leagues` has the names by id."""
    if deal is None or not deal.deal_id.startswith(SHARED_DEAL_PREFIX):
        return None
    return leagues.get(deal.deal_id.removeprefix(SHARED_DEAL_PREFIX).partition(".")[0])


async def find_match(asked: Asked) -> MatchSummary:
    """Return the match whose id is in the path. Raises RefusedError if there is none."""
    match_id = asked.part("match_id")
    found = await asked.sources.store.results.summary(MatchId(match_id)) if len(match_id) == ID_LENGTH else None
    if found is None:
        raise no_such_match(asked)
    return found


def no_such_match(asked: Asked) -> RefusedError:
    """Return the error for a match that does not exist, or that the reader may not know of."""
    return RefusedError(404, f"there is no match {asked.part('match_id')[:ID_LENGTH]!r} here")


async def find_open_match(asked: Asked) -> LibraryEntry:
    """Return the match whose id is in the path, if its cards may be seen. Raises RefusedError if not."""
    summary = await find_match(asked)
    row = summary.row
    if row.state != "ended":
        raise RefusedError(403, f"match {row.match_id} still runs: its cards are secret until it is over")
    if not summary.are_cards_open:
        raise RefusedError(
            403, f"match {row.match_id} shares its cards with other games: they are secret until those are over"
        )
    return asked.sources.library.ended_entry(summary)


_USUAL: Final = 50
_MOST: Final = 100
"""Matches on one page of the list."""


@dataclass(frozen=True, slots=True)
class MatchList:
    """A page of the list of matches."""

    matches: Sequence[MatchLine]
    """Newest first."""
    bot: str | None
    """Only matches in which this bot plays."""
    game: str | None
    """Only matches of this game."""
    next: str | None
    """The query of the page with older matches, such as `before=ID&limit=50`; None on the last page."""


@page_at(
    "/matches",
    "Matches, newest first",
    MatchList,
    Parameter("bot", "Only matches in which this bot plays."),
    Parameter("game", "Only matches of this game."),
    Parameter("before", "Only matches older than the one with this id."),
    Parameter("limit", f"How many matches, from 1 to {_MOST}; {_USUAL} if it is not given.", int),
)
async def read_match_list(asked: Asked) -> Page:
    bot, game, before = asked.text("bot"), asked.text("game"), asked.text("before")
    limit = asked.number("limit", 1, _MOST) or _USUAL
    # A search for a bot would otherwise tell who plays in an anonymous match.
    wanted = MatchSearch(bot=bot, game=game, shows_names=bot is not None)
    found = await find_lines(asked.sources, limit + 1, before, wanted)
    shown = found[:limit]
    following = None
    if len(found) > limit:
        given = {"bot": bot, "game": game, "before": shown[-1].match_id, "limit": str(limit)}
        following = urlencode({name: value for name, value in given.items() if value})
    view = MatchList(shown, bot, game, following)
    return Page("matches.html", view, {"games": sorted(asked.sources.games), "is_first": before is None})
