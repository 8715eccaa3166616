"""Finds the match that a page is about, and decides whether its cards may be seen."""

from arena.ids import ID_LENGTH
from arena.match.referee.ports import MatchId, MatchSummary
from arena.replays.library.library_entry import LibraryEntry
from arena.web.errors import RefusedError
from arena.web.page import Asked


async def find_match(asked: Asked) -> MatchSummary:
    """Return the match whose id is in the path. Raises RefusedError if there is none."""
    match_id = asked.part("match_id")
    found = await asked.sources.store.results.summary(MatchId(match_id)) if len(match_id) == ID_LENGTH else None
    if found is None:
        raise no_such_match(asked)
    return found


def no_such_match(asked: Asked) -> RefusedError:
    """Return the error for a match that does not exist, or that the reader may not know of."""
    return RefusedError(404, f"there is no match {asked.part('match_id')[:ID_LENGTH]!r} here")


async def find_open_match(asked: Asked) -> LibraryEntry:
    """Return the match whose id is in the path, if its cards may be seen. Raises RefusedError if not."""
    summary = await find_match(asked)
    row, deal = summary.row, summary.deal
    if row.state != "ended":
        raise RefusedError(403, f"match {row.match_id} still runs: its cards are secret until it is over")
    if deal is not None and deal.revealed is None:
        raise RefusedError(
            403, f"match {row.match_id} shares its cards with other games: they are secret until all of these are over"
        )
    return asked.sources.library.ended_entry(summary)
