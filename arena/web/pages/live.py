"""The events of a running match's page, and the way from a pool to one of its tables."""

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from arena.errors import UnknownNameError
from arena.match.referee.ports import MatchId
from arena.plurals import format_count
from arena.web.errors import RefusedError
from arena.web.live.event_stream import MEDIA_TYPE, EventStream, build_ended_stream
from arena.web.live.viewer import Viewer
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.pages.match import MATCH_ID
from arena.web.pages.matches import find_match
from arena.web.pages.pool import NAME


@dataclass(frozen=True, slots=True)
class PoolTable:
    """Where a pool is played now."""

    pool: str
    match_id: MatchId | None
    """The newest running match; None if there is none."""


@page_at(
    "/matches/{match_id}/events",
    "What happens in a running match, as server-sent events: fragments of its page",
    None,
    MATCH_ID,
    Parameter("after", "The id of the last event, unless a header `Last-Event-ID` has it."),
    media_type=MEDIA_TYPE,
)
async def read_events(asked: Asked) -> Response:
    """The stream goes on after the event whose id the client gives."""
    summary = await find_match(asked)
    match_id = summary.row.match_id
    if summary.row.state == "ended":
        return build_ended_stream()
    tables, limits = asked.sources.tables, asked.sources.limits
    match = await tables.find(match_id)
    if match is None:
        most = format_count(limits.viewed_matches, "match")
        raise RefusedError(
            503, f"this site already follows {most}, its most: reload the page later", {"Retry-After": "30"}
        )
    tables.reserve_place(asked.address, match_id)
    viewer = Viewer(match, asked.address, limits.stall_s, is_chunked=asked.takes_chunks)
    return EventStream(tables, match, viewer, asked.last_event_id)


@page_at(
    "/pools/{name}/live",
    "The newest running match of a pool",
    PoolTable,
    NAME,
    Parameter("after", "The id of a match that is not wanted, because it has just ended."),
)
async def read_pool_table(asked: Asked) -> Page | Response:
    """Lead to the newest running table of a pool; without one, return a page that asks again."""
    pool, store = asked.part("name"), asked.sources.store
    if await store.pools.newest_season(pool) is None:
        raise UnknownNameError("pool", pool[:64])
    table = PoolTable(pool, await _find_table(asked, pool, asked.text("after")))
    if asked.wants_json or table.match_id is None:
        return Page("live/no_table.html", table)
    return RedirectResponse(f"/matches/{table.match_id}?pool={quote(pool, safe='')}", HTTPStatus.SEE_OTHER)


async def _find_table(asked: Asked, pool: str, after: str | None) -> MatchId | None:
    """Return the newest match of a pool that runs, but not the one whose end the reader has just seen."""
    store = asked.sources.store
    for seating in reversed(await store.pools.unended_seatings(pool)):
        if seating.match_id != after and await store.results.summary(seating.match_id) is not None:
            return seating.match_id
    return None
