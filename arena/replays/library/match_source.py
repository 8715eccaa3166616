"""Finds out what a match was played for. This follows from the id of its deal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.competition.league.ports import COMPARISON_PREFIX
from arena.errors import JournalError
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.inputs import Deal, read_record
from arena.replays.library.library_entry import LibraryEntry, MatchSource


def with_source(entry: LibraryEntry, leagues: Mapping[str, str]) -> LibraryEntry:
    """Return a match with its source, which follows from its deal. `leagues` maps the ids of leagues to their names."""
    deal_id = entry.deal_id if entry.deal is None else entry.deal.deal_id
    if not deal_id:
        return entry
    if not deal_id.startswith(SHARED_DEAL_PREFIX):
        return replace(entry, source=MatchSource.MATCH)
    name = leagues.get(deal_id.removeprefix(SHARED_DEAL_PREFIX).partition(".")[0], "")
    source = MatchSource.COMPARE if name.startswith(COMPARISON_PREFIX) else MatchSource.LEAGUE
    return replace(entry, source=source, league=name)


def journaled_deal_id(records: Sequence[bytes]) -> str:
    """Return the id of the deal with which the records of a match begin; empty if they begin without one."""
    try:
        first = read_record(records[0]) if records else None
    except JournalError:
        return ""
    return first.secret.deal_id if isinstance(first, Deal) else ""
