"""All pages of the site. A page that stands here is served, has its JSON, and is described in `/api/openapi.json`."""

from typing import Final

from arena.web.open_api import describe_pages
from arena.web.page import Asked, File, PageRoute
from arena.web.pages.bot import BOT
from arena.web.pages.feed import FEED, POOL_FEED
from arena.web.pages.home import HOME
from arena.web.pages.leagues import LEAGUE, LEAGUE_LIST, LEAGUE_PROOF
from arena.web.pages.live import MATCH_EVENTS, POOL_TABLE
from arena.web.pages.match import MATCH
from arena.web.pages.matches import MATCH_LIST
from arena.web.pages.owner.account import ACCOUNT, LOGIN, LOGIN_FORM, LOGOUT
from arena.web.pages.owner.own_bot import OWN_BOT, OWN_MATCH
from arena.web.pages.owner.own_replay import OWN_REPLAY
from arena.web.pages.owner.submission import SUBMISSION, SUBMISSION_CHANGE
from arena.web.pages.owner.submissions import SUBMISSION_FORM, SUBMISSIONS
from arena.web.pages.pool import POOL, POOL_LIST, POOL_SEASON
from arena.web.pages.pool_files import ROUND, SEASON_REPORT
from arena.web.pages.replay import REPLAY, REPLAY_FILE
from arena.web.pages.verifiers import VERIFIER, VERIFIERS


async def read_description(_: Asked) -> File:
    """Return the description of the pages' JSON."""
    return File(describe_pages(PAGES), "application/json")


DESCRIPTION = PageRoute(
    "/api/openapi.json", read_description, "This description (OpenAPI 3.1)", media_type="application/json"
)
PAGES: Final = (
    HOME,
    MATCH_LIST,
    MATCH,
    MATCH_EVENTS,
    POOL_TABLE,
    REPLAY,
    REPLAY_FILE,
    POOL_LIST,
    POOL,
    POOL_SEASON,
    POOL_FEED,
    ROUND,
    SEASON_REPORT,
    BOT,
    LEAGUE_LIST,
    LEAGUE,
    LEAGUE_PROOF,
    VERIFIERS,
    VERIFIER,
    FEED,
    LOGIN,
    LOGIN_FORM,
    LOGOUT,
    ACCOUNT,
    OWN_BOT,
    OWN_MATCH,
    OWN_REPLAY,
    SUBMISSIONS,
    SUBMISSION_FORM,
    SUBMISSION,
    SUBMISSION_CHANGE,
    DESCRIPTION,
)
