"""A match in a list of replays: its place in the data folder, its results so far, and what it was played for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.competition.league.ports import COMPARISON_PREFIX
from arena.errors import JournalError
from arena.ids import WallTime
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.inputs import Deal, read_record
from arena.match.referee.ports import DealRow, MatchId
from arena.match.referee.strike_record import StrikeRecord


class MatchSource(StrEnum):
    MATCH = "match"
    """For itself: by `arena match`, `arena demo`, or on a server."""
    COMPARE = "compare"
    """For a comparison."""
    LEAGUE = "league"
    """For a league."""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    match_id: MatchId
    created_at: WallTime | None
    """None if unknown."""
    preset: str
    terms: Mapping[str, Any]
    entrants: tuple[str, ...]
    journal: Path
    number: int
    """Number of the match in that journal."""
    state: str
    """The termination of a match that ended, or `unreadable` if its row is damaged.

    Otherwise `running`, `offered` if nothing is recorded of it yet, or `interrupted` if its server has ended.
    """
    is_stored: bool
    """Whether the end of the match is in the store."""
    place_sums: tuple[int, ...] = ()
    """Each entrant's sum of places over the finished games."""
    games_finished: int = 0
    strikes: tuple[Mapping[str, int], ...] = ()
    """Each entrant's strike counts, by kind."""
    faults: tuple[StrikeRecord, ...] = ()
    """The strikes that the server stored, with the node's observations."""
    deal: DealRow | None = None
    """The match's deal; None if no deal was committed, as in old versions."""
    deal_id: str = ""
    """The id of the deal as the journal of an unfinished match has it; empty if it is not there."""
    lost_games: tuple[tuple[int, ...], ...] = ()
    """Each entrant's finished games in which it came last, by number."""
    source: MatchSource | None = None
    """What the match was played for; None if nothing says so, as in old versions. Only `Library.newest` sets it."""
    league: str = ""
    """Name of the league of the match; empty if it has none or if its league is not in the store."""

    @property
    def is_hidden(self) -> bool:
        """Return whether other games may still use the match's deal."""
        return self.deal is not None and self.deal.deal_id.startswith(SHARED_DEAL_PREFIX) and self.deal.revealed is None

    def as_dict(self) -> dict[str, Any]:
        return {
            "match_id": self.match_id,
            "created_at": self.created_at,
            "game": self.terms["game"],
            "rules_version": self.terms["rules_version"],
            "preset": self.preset,
            "entrants": list(self.entrants),
            "games_finished": self.games_finished,
            "game_count": self.terms["game_count"],
            "place_sums": list(self.place_sums),
            "state": self.state,
            "is_stored": self.is_stored,
            "strikes": [dict(strikes) for strikes in self.strikes],
            "deal": None
            if self.deal is None
            else {
                "chain_number": self.deal.number,
                "chain_link": self.deal.link.hex(),
                "commitment": self.deal.commitment.hex(),
                "is_opened": self.deal.revealed is not None,
            },
        }


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
