"""The first page: what this is, a running table, how to join, notable games, pools, results and leagues."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.match.referee.ports import MatchId, MatchSearch
from arena.web.live.event import LiveStatus, LiveView, Rendered, live_values
from arena.web.notable import NotableGame
from arena.web.page import Asked, Page, page_at
from arena.web.pages.leagues import LeagueLine, find_league_lines
from arena.web.pages.matches import MatchLine, find_lines
from arena.web.pages.pool_lines import PoolLine, find_pool_lines
from arena.web.sources import Sources

_SHOWN: Final = 10
"""Pools, matches and leagues on this page."""
_WAIT_S: Final = 0.03
"""Seconds that this page waits for the first state of the table. Later it comes with the events."""


@dataclass(frozen=True, slots=True)
class Home:
    """What the first page shows."""

    live: LiveView | None
    """The table of the newest running match; null if none runs."""
    notable: Sequence[NotableGame]
    """The largest of each kind among the newest matches whose cards may be seen."""
    pools: Sequence[PoolLine]
    running: Sequence[MatchLine]
    newest: Sequence[MatchLine]
    """Matches that have ended, the newest first."""
    leagues: Sequence[LeagueLine]


@page_at("/", "A running table, notable games, the pools, the newest results, and the leagues", Home)
async def read_home(asked: Asked) -> Page:
    sources = asked.sources
    running = await find_lines(sources, _SHOWN, wanted=MatchSearch(state="running"))
    newest = await find_lines(sources, _SHOWN, wanted=MatchSearch(state="ended"))
    pools, leagues = await find_pool_lines(sources), await find_league_lines(sources)
    rendered = await _find_table(sources, running)
    view = Home(
        live=None if rendered is None else rendered.view,
        notable=sources.notable.newest(),
        pools=pools[:_SHOWN],
        running=running,
        newest=newest,
        leagues=leagues[:_SHOWN],
    )
    values = {"has_more_pools": len(pools) > _SHOWN, "has_more_leagues": len(leagues) > _SHOWN}
    return Page("home.html", view, {**values, **live_values(rendered, "/")})


async def _find_table(sources: Sources, running: Sequence[MatchLine]) -> Rendered | None:
    """Return the newest running match as its viewers see it; None if none can be followed."""
    if not running or not sources.is_running():
        return None
    followed = await sources.tables.find(MatchId(running[0].match_id), _WAIT_S)
    rendered = None if followed is None else followed.render()
    is_alive = rendered is not None and rendered.view.status in (LiveStatus.LIVE, LiveStatus.CONNECTING)
    return rendered if is_alive else None
