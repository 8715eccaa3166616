"""The page of two bots: how often one finished ahead of the other, and the matches in which both played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from arena.match.referee.ports import MatchSearch
from arena.web.errors import RefusedError
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.pages.matches import MatchLine, find_lines
from arena.web.pages.pool import MeetingLine, meeting_line

_MATCHES: Final = 20
"""Matches on one page."""
_SEASONS: Final = 20
"""The most seasons that are looked through."""


@dataclass(frozen=True, slots=True)
class SeasonMeeting:
    """How two bots met in a season of a pool."""

    pool: str
    season: int
    meeting: MeetingLine


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two bots."""

    bot: str
    other: str
    seasons: Sequence[SeasonMeeting]
    """By pool, the newest season first."""
    matches: Sequence[MatchLine]
    """Matches of both, newest first, without anonymous ones that run."""
    next: str | None
    """The query of the page with older matches; null on the last page."""


@page_at(
    "/bots/{name}/against/{other}",
    "Two bots, head to head",
    HeadToHead,
    Parameter("name", "The name of a bot.", in_path=True),
    Parameter("other", "The name of another bot.", in_path=True),
    Parameter("before", "Only matches older than the one with this id."),
)
async def read_head_to_head(asked: Asked) -> Page:
    bot, other, before = asked.part("name"), asked.part("other"), asked.text("before")
    store = asked.sources.store
    if bot == other:
        raise RefusedError(400, "a bot does not meet itself: name two bots")
    wanted = MatchSearch(bot=bot, other=other, shows_names=True)
    found = await find_lines(asked.sources, _MATCHES + 1, before, wanted)
    seasons = [
        SeasonMeeting(pool, season, meeting_line(row))
        for pool, season in (await store.pools.seasons_of(bot))[:_SEASONS]
        for row in await store.pools.meetings(pool, season, bot, (bot, other))
    ]
    if not found and not seasons and before is None:
        raise RefusedError(404, f"the bots {bot[:64]!r} and {other[:64]!r} have never met here")
    following = urlencode({"before": found[_MATCHES - 1].match_id}) if len(found) > _MATCHES else None
    view = HeadToHead(bot, other, seasons, found[:_MATCHES], following)
    return Page("head_to_head.html", view, {"is_first": before is None})
