"""The newest results of all matches, or of a pool, as an Atom feed (RFC 4287)."""

from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from arena.match.referee.ports import MatchSearch
from arena.web.page import Asked, File, page_at
from arena.web.pages.matches import find_lines
from arena.web.pages.pool import NAME, find_season
from arena.web.rendering import render_template

_ENTRIES: Final = 50
MEDIA_TYPE: Final = "application/atom+xml"


@page_at("/feed.atom", "The newest results as a feed", media_type=MEDIA_TYPE)
async def read_feed(asked: Asked) -> File:
    return await _build_feed(asked, MatchSearch(state="ended"), "newest results", "/")


@page_at("/pools/{name}/feed.atom", "The newest results of a pool as a feed", None, NAME, media_type=MEDIA_TYPE)
async def read_pool_feed(asked: Asked) -> File:
    """The feed is that of the newest season."""
    season = await find_season(asked)
    wanted = MatchSearch(state="ended", season=(season.pool, season.season))
    return await _build_feed(asked, wanted, f"results of the pool {season.pool}", f"/pools/{quote(season.pool)}")


async def _build_feed(asked: Asked, wanted: MatchSearch, title: str, page: str) -> File:
    """The store has no time of a match's end, so an entry has the time of its beginning."""
    found = await find_lines(asked.sources, _ENTRIES, wanted=wanted)
    newest = max((line.created_at for line in found), default=0.0)
    content = render_template(
        "feed.xml",
        title=title,
        page=page,
        feed=f"{page.rstrip('/')}/feed.atom",
        matches=found,
        site_url=asked.site_url,
        updated=format_instant(newest),
        instant_of=format_instant,
    )
    return File(content, f"{MEDIA_TYPE}; charset=utf-8")


def format_instant(seconds: float) -> str:
    """Return seconds since 1970 as a date of RFC 3339.

    >>> format_instant(1_700_000_000.25)
    '2023-11-14T22:13:20Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
