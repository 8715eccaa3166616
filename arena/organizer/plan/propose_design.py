"""Says how precise a league's scores will be, and whether another number of tables for each deal helps.

Half the width of a 95 % interval is 1.96 * spread / sqrt(games of an entrant). Both designs get the same number of
games: a game takes the same work at each of several tables as at one.
"""

from dataclasses import dataclass, replace
from enum import Enum
from math import sqrt
from statistics import fmean

from arena.competition.formats import DEFAULT_MAX_TABLES, Format, RoundRobin, Season, WithPlayOff
from arena.competition.league.adjustment import EVEN_FORMATS, MIN_BLOCKS
from arena.competition.league.estimates import NORMAL_QUANTILE
from arena.competition.league.field import Field
from arena.organizer.plan.tried_designs import Scoring, TriedDesigns


class DesignAdvice(Enum):
    """What the trial says about the number of tables for each deal."""

    KEEP = "keep"
    """The league's own number is more precise."""
    CHANGE = "change"
    """The other number is more precise."""
    EITHER = "either"
    """The difference may be chance."""
    UNKNOWN = "unknown"
    """The trial has too few blocks."""


@dataclass(frozen=True, slots=True)
class DesignProposal:
    """The league's design beside another one."""

    tables: int
    """The largest number of tables for each deal, as the league has it."""
    other_tables: int
    other_half_width: float
    """Half the width of the 95 % interval of a score with the other number of tables and as many games."""
    advice: DesignAdvice


def half_width(league_format: Format, field: Field, designs: TriedDesigns, games: int) -> float:
    """Return half the width of the 95 % interval of an entrant's score. In a gauntlet, the challenger is excluded."""
    fixed = league_format.name == "gauntlet"  # the challenger sits at every table, so the others share one seat fewer
    games_each = max(1.0, games * (field.seats - fixed) / (len(field.entries) - fixed))
    scoring = _scoring(league_format, _tables_in_block(league_format, field), games)
    return NORMAL_QUANTILE * designs.spread(scoring) / sqrt(games_each)


def propose_design(league_format: Format, field: Field, designs: TriedDesigns, games: int) -> DesignProposal | None:
    """Return whether one table for each deal is more precise than several; None if the league has no choice.

    A league with one table for each deal is compared with the default number of tables.
    """
    own = _regular_part(league_format)
    if not isinstance(own, Season | RoundRobin):
        return None
    other = replace(own, tables=1 if own.tables > 1 else DEFAULT_MAX_TABLES)
    tables, other_tables = _tables_in_block(own, field), _tables_in_block(other, field)
    if tables == other_tables:
        return None
    mine, its = _scoring(own, tables, games), _scoring(other, other_tables, games)
    return DesignProposal(
        own.tables, other.tables, half_width(other, field, designs, games), _advise(designs, mine, its)
    )


def _advise(designs: TriedDesigns, mine: Scoring, its: Scoring) -> DesignAdvice:
    if not designs.is_long_enough:
        return DesignAdvice.UNKNOWN
    if not designs.differ(mine, its):
        return DesignAdvice.EITHER
    return DesignAdvice.KEEP if designs.spread(mine) < designs.spread(its) else DesignAdvice.CHANGE


def _regular_part(league_format: Format) -> Format:
    return league_format.inner if isinstance(league_format, WithPlayOff) else league_format


def _scoring(league_format: Format, tables: float, games: int) -> Scoring:
    """Return how a league with this mean number of tables in a block scores games; plain with few blocks."""
    if league_format.name not in EVEN_FORMATS or games / tables < MIN_BLOCKS:
        return Scoring.PLAIN
    return Scoring.SEVERAL_TABLES if tables > 1 else Scoring.ONE_TABLE


def _tables_in_block(league_format: Format, field: Field) -> float:
    """Return the mean number of tables in a block of the first round."""
    return fmean(len(block.tables) for block in league_format.draw_round(1, field))
