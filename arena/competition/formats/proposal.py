"""Proposes a format for a number of games."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2

from arena.competition.formats.knockout import Knockout
from arena.competition.formats.port import DEFAULT_MAX_TABLES, Format
from arena.competition.formats.round_robin import RoundRobin
from arena.competition.formats.season import Season
from arena.competition.formats.swiss import Swiss
from arena.competition.formats.validation import why_field_unseatable
from arena.competition.league.field import Field
from arena.errors import OptionError, OptionsError


@dataclass(frozen=True, slots=True)
class FormatProposal:
    format: Format
    reason: str
    """A clause that follows `because`."""


def propose_format(field: Field, games: int, tables: int = DEFAULT_MAX_TABLES) -> FormatProposal:
    """Return the format that compares all entrants best within `games` games and `tables` tables per block.

    This is the first of these formats for which the games are enough:

    1. a round robin within its limit of games;
    2. a season in which every pair meets about once;
    3. a Swiss tournament of at least log2(entrants) rounds;
    4. a knockout.

    Raises OptionsError if no table can be filled, or if there are too few games for a knockout of single games.
    """
    if faults := why_field_unseatable("any", field):
        raise OptionsError(faults)
    for proposal in _candidate_formats(field, games, tables):
        if not proposal.format.why_not_playable(field):
            return proposal
    least = Knockout(1).size(field).games
    raise OptionsError([OptionError("games", games, f"expected at least {least}, a knockout of single games")])


def _candidate_formats(field: Field, games: int, tables: int) -> Iterator[FormatProposal]:
    """Yield every format for which these games are enough, best first."""
    people, seats = len(field.names_entered(1)), field.seats
    if passes := games // RoundRobin(tables=tables).game_count(field):
        yield FormatProposal(RoundRobin(passes, tables), "every table that can be made is played in every seat")
    if games * seats * (seats - 1) >= people * (people - 1):
        yield FormatProposal(Season(games, tables), "every pair meets about once or more")
    rounds, full_tables = ceil(log2(people)), people // seats
    if each := min(seats, games // (rounds * full_tables)):
        reason = "there are too few games for all pairs to meet, but enough for those with similar scores"
        yield FormatProposal(Swiss(games // (each * full_tables), each, tables), reason)
    if each := min(seats, games // (Knockout(1).size(field).games or 1)):
        yield FormatProposal(Knockout(each, tables), "there are too few games for any other format")
