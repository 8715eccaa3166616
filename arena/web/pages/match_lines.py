"""Matches in lists, as everybody may see them. Nothing of a match that runs is read but its terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.ports import DealRow, MatchId, MatchSearch, MatchSummary
from arena.web.sources import Sources


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list."""

    match_id: str
    created_at: float
    """When it began, in seconds since 1970."""
    game: str
    preset: str
    state: str
    """`running`, `interrupted` if it waits for a server, or how it ended."""
    is_over: bool
    entrants: Sequence[str]
    """By number. While an anonymous match runs, these are no names."""
    game_count: int
    games_finished: int
    """0 until the match is over."""
    place_sums: Sequence[int]
    """By entrant: the sum of its places over the finished games; empty until the match is over."""
    is_open: bool
    """Whether its cards may be seen: it is over, and no other game may still use its deal."""
    is_anonymous: bool
    """Whether the names of the entrants are hidden, because the match is anonymous and runs."""
    league: str | None = None
    """The league or comparison of the match, if it is known."""


async def find_lines(
    sources: Sources, limit: int, before: str | None = None, wanted: MatchSearch | None = None
) -> list[MatchLine]:
    """Return at most `limit` wanted matches older than `before`, newest first."""
    older = None if before is None else MatchId(before)
    summaries = await sources.store.results.summaries(limit, older, wanted or MatchSearch())
    leagues = await sources.store.leagues.names_by_id() if summaries else {}
    is_served = sources.is_running()
    return [match_line(summary, leagues, is_served=is_served) for summary in summaries]


def match_line(summary: MatchSummary, leagues: Mapping[str, str], *, is_served: bool) -> MatchLine:
    """Return what everybody may see of a match. `is_served` says whether a server uses the data folder."""
    row, is_over = summary.row, summary.row.state == "ended"
    games = summary.games if is_over else ()
    numbers = range(len(row.entrants))
    return MatchLine(
        match_id=row.match_id,
        created_at=row.created_at,
        game=row.game,
        preset=row.preset,
        state=row.termination if is_over else "running" if is_served else "interrupted",
        is_over=is_over,
        entrants=visible_entrants(row.terms, row.entrants, is_over=is_over),
        game_count=row.terms["game_count"],
        games_finished=len(games),
        place_sums=[sum(game.places[number] for game in games) for number in numbers] if games else [],
        is_open=is_over and (summary.deal is None or summary.deal.revealed is not None),
        is_anonymous=hides_names(row.terms, is_over=is_over),
        league=league_of(summary.deal, leagues),
    )


def visible_entrants(terms: Mapping[str, Any], entrants: Sequence[str], *, is_over: bool) -> list[str]:
    """Return the names of the entrants. A spectator of an anonymous match sees no names while it runs."""
    is_hidden = hides_names(terms, is_over=is_over)
    return [f"entrant {number}" if is_hidden else name for number, name in enumerate(entrants)]


def hides_names(terms: Mapping[str, Any], *, is_over: bool) -> bool:
    """Return whether a spectator of a match may not know who plays."""
    return bool(terms.get("anonymous", False)) and not is_over


def league_of(deal: DealRow | None, leagues: Mapping[str, str]) -> str | None:
    """Return the name of the league whose deal this is; None if it is no league's. `leagues` has the names by id."""
    if deal is None or not deal.deal_id.startswith(SHARED_DEAL_PREFIX):
        return None
    return leagues.get(deal.deal_id.removeprefix(SHARED_DEAL_PREFIX).partition(".")[0])
