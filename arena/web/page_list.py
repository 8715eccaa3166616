"""All pages of the site. A page that stands here is served, has its JSON, and is described in `/api/openapi.json`."""

from typing import Final

from arena.web.open_api import describe_pages
from arena.web.page import ROUTES, Asked, File, page_at
from arena.web.pages import (
    about,
    bot,
    embed,
    feed,
    head_to_head,
    home,
    leagues,
    live,
    match,
    matches,
    overview,
    pool,
    pool_files,
    replay,
    search,
    verifiers,
)
from arena.web.pages.owner import account, own_bot, own_replay, submission, submissions


@page_at("/api/openapi.json", "This description (OpenAPI 3.1)", media_type="application/json")
async def read_description(_: Asked) -> File:
    return File(describe_pages(PAGES), "application/json")


_PUBLIC: Final = (
    home,
    search,
    matches,
    match,
    live,
    replay,
    pool,
    pool_files,
    bot,
    head_to_head,
    leagues,
    verifiers,
    feed,
    embed,
    about,
)
_OWN: Final = (account, own_bot, own_replay, submissions, submission, overview)
PAGES: Final = tuple(
    route for module in (*(each.__name__ for each in (*_PUBLIC, *_OWN)), __name__) for route in ROUTES[module]
)
"""In the order of the description."""
