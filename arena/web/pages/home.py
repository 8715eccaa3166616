"""The first page: the pools, what is played now, what was played last, and the leagues."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.match.referee.ports import MatchSearch
from arena.web.page import Asked, Page, page_at
from arena.web.pages.leagues import LeagueLine, find_league_lines
from arena.web.pages.matches import MatchLine, find_lines
from arena.web.pages.pool_lines import PoolLine, find_pool_lines

_SHOWN = 10
"""Pools, matches and leagues on this page."""


@dataclass(frozen=True, slots=True)
class Home:
    """What the first page shows."""

    pools: Sequence[PoolLine]
    running: Sequence[MatchLine]
    newest: Sequence[MatchLine]
    """Matches that have ended, the newest first."""
    leagues: Sequence[LeagueLine]


@page_at("/", "The pools, what is played now, the newest results, and the leagues", Home)
async def read_home(asked: Asked) -> Page:
    sources = asked.sources
    running = await find_lines(sources, _SHOWN, wanted=MatchSearch(state="running"))
    newest = await find_lines(sources, _SHOWN, wanted=MatchSearch(state="ended"))
    pools, leagues = await find_pool_lines(sources), await find_league_lines(sources)
    view = Home(pools[:_SHOWN], running, newest, leagues[:_SHOWN])
    return Page("home.html", view, {"has_more_pools": len(pools) > _SHOWN, "has_more_leagues": len(leagues) > _SHOWN})
