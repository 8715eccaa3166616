"""A match's table alone, for frames in the pages of sites that the settings allow."""

from dataclasses import replace

from arena.web.errors import RefusedError
from arena.web.live.event import live_values
from arena.web.page import Asked, Page, page_at
from arena.web.pages.match import MATCH_ID, MatchView, build_match_view
from arena.web.pages.matches import find_match, match_line
from arena.web.policy import policy_for_frames


@page_at("/embed/matches/{match_id}", "The table of a match, for a frame in another site", MatchView, MATCH_ID)
async def read_embedded(asked: Asked) -> Page:
    """Its links open outside of the frame. After the match it links to the results."""
    sources, origins = asked.sources, asked.sources.site.frame_ancestors
    if not origins:
        raise RefusedError(403, "this site lets no other site show its tables")
    summary = await find_match(asked)
    line = match_line(summary, {}, is_served=sources.is_running())
    view, rendered = build_match_view(summary, line, None), None
    if not line.is_over and (followed := await sources.tables.find(summary.row.match_id)) is not None:
        rendered = followed.render()
        view = replace(view, live=rendered.view)
    return Page("embed.html", view, live_values(rendered), policy=policy_for_frames(origins))
