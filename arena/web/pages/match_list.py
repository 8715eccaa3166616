"""The list of matches, page by page, for one bot or one game if it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from arena.match.referee.ports import MatchSearch
from arena.web.page import Asked, Page, PageRoute, Parameter
from arena.web.pages.match_lines import MatchLine, find_lines

_USUAL: Final = 50
_MOST: Final = 100
"""Matches on one page of the list."""


@dataclass(frozen=True, slots=True)
class MatchList:
    """A page of the list."""

    matches: Sequence[MatchLine]
    """Newest first."""
    bot: str | None
    """Only matches in which this bot plays."""
    game: str | None
    """Only matches of this game."""
    next: str | None
    """The query of the page with older matches, such as `before=ID&limit=50`; None on the last page."""


async def read_match_list(asked: Asked) -> Page:
    """Return a page of the list."""
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


MATCH_LIST = PageRoute(
    "/matches",
    read_match_list,
    "Matches, newest first",
    MatchList,
    (
        Parameter("bot", "Only matches in which this bot plays."),
        Parameter("game", "Only matches of this game."),
        Parameter("before", "Only matches older than the one with this id."),
        Parameter("limit", f"How many matches, from 1 to {_MOST}; {_USUAL} if it is not given.", int),
    ),
)
