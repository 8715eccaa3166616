"""Finds bots by a part of their names, and matches by the beginning of their ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.ids import ID_LENGTH
from arena.match.referee.ports import MatchId
from arena.web.page import Asked, Page, Parameter, page_at
from arena.web.pages.matches import MatchLine, match_line

_BOTS: Final = 50
_MATCHES: Final = 10
_LEAST_PREFIX: Final = 6
"""Characters of an id: fewer are common to all matches of a day."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found."""

    text: str
    """What was searched for; empty if nothing was."""
    bots: Sequence[str]
    """Bots with the text in their names, by name; at most fifty."""
    matches: Sequence[MatchLine]
    """Matches whose ids begin with the text, newest first; at most ten."""


@page_at("/search", "Bots and matches that fit a text", Found, Parameter("q", "A part of a bot's name, or a match id."))
async def read_search(asked: Asked) -> Page:
    text, store = (asked.text("q") or "").strip(), asked.sources.store
    bots = await store.pools.bots_like(text, _BOTS) if text else ()
    return Page("search.html", Found(text, bots, await _find_matches(asked, text.upper()) if text else ()))


async def _find_matches(asked: Asked, prefix: str) -> list[MatchLine]:
    if not (_LEAST_PREFIX <= len(prefix) <= ID_LENGTH and prefix.isalnum()):
        return []
    results = asked.sources.store.results
    ids = await results.match_ids(prefix, _MATCHES)
    found = [await results.summary(MatchId(each)) for each in ids]
    leagues = await asked.sources.store.leagues.names_by_id() if found else {}
    is_served = asked.sources.is_running()
    return [match_line(each, leagues, is_served=is_served) for each in found if each is not None]
