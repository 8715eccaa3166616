"""The newest results as an Atom feed (RFC 4287)."""

from datetime import UTC, datetime
from typing import Final

from arena.match.ports import MatchSearch
from arena.web.page import Asked, File, PageRoute
from arena.web.pages.match_lines import find_lines
from arena.web.rendering import render_template

_ENTRIES: Final = 50
MEDIA_TYPE: Final = "application/atom+xml"


async def read_feed(asked: Asked) -> File:
    """Return the feed. The store has no time of a match's end, so an entry has the time of its beginning."""
    found = await find_lines(asked.sources, _ENTRIES, wanted=MatchSearch(state="ended"))
    newest = max((line.created_at for line in found), default=0.0)
    content = render_template(
        "feed.xml", matches=found, site_url=asked.site_url, updated=format_instant(newest), instant_of=format_instant
    )
    return File(content, f"{MEDIA_TYPE}; charset=utf-8")


def format_instant(seconds: float) -> str:
    """Return seconds since 1970 as a date of RFC 3339.

    >>> format_instant(1_700_000_000.25)
    '2023-11-14T22:13:20Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


FEED = PageRoute("/feed.atom", read_feed, "The newest results as a feed", media_type=MEDIA_TYPE)
