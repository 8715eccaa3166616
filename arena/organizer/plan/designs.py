"""Tries two designs of a league on the games of its trial: one table for each deal, or several tables that share it.

Both designs are tried on the same games, so both have the same number of games. For one table a deal, every table of
the trial counts as a block of its own; then nobody has the same hand. For several, the scores are adjusted by those
with the same hand too. The narrower interval belongs to the design whose scores vary less around their entrants' means.

How much they vary is itself measured on few games. So two designs differ only if their squared distances from the
means, block by block, differ by more than chance explains.

Half the width of a 95 % interval is 1.96 * spread / sqrt(games of an entrant). A game takes the same work at
each of several tables as at one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import sqrt
from statistics import fmean, stdev
from typing import Final

from arena.competition.formats import DEFAULT_MAX_TABLES, Format, RoundRobin, Season, WithPlayOff
from arena.competition.league.adjustment import EVEN_DRAW, EVEN_FORMATS, MIN_BLOCKS, adjust_scores, plain_scores
from arena.competition.league.estimates import NORMAL_QUANTILE
from arena.competition.league.field import Field
from arena.competition.league.model import BlockResult

BlockScores = Sequence[Mapping[str, float]]
"""The score of each entrant in each block."""

DEFAULT_SPREAD: Final = 0.3
"""The spread of the scores of simple bots in the preset `standard`. It is used if a trial measures no spread."""


class Scoring(Enum):
    """How the points of a league count."""

    PLAIN = "plain"
    """As they are."""
    ONE_TABLE = "one table"
    """Adjusted, with one table for each deal."""
    SEVERAL_TABLES = "several tables"
    """Adjusted, with several tables for each deal."""


@dataclass(frozen=True, slots=True)
class TriedDesigns:
    """How much scores vary around the means of their entrants, by scoring."""

    squares: Mapping[Scoring, Sequence[float]] = field(hash=False)
    """For each block of the trial, the sum of the squared distances of its scores from the means of their entrants."""
    freedom: int
    """Number of scores less the number of entrants."""

    @property
    def is_long_enough(self) -> bool:
        """Return whether the trial has enough blocks to adjust points."""
        return len(self.squares[Scoring.PLAIN]) >= MIN_BLOCKS

    def spread(self, scoring: Scoring) -> float:
        """Return the standard deviation of an entrant's scores."""
        return sqrt(sum(self.squares[scoring]) / self.freedom) if self.freedom > 0 else DEFAULT_SPREAD

    def differ(self, one: Scoring, other: Scoring) -> bool:
        """Return whether the 95 % interval of the difference between the two variances excludes 0."""
        differences = [mine - its for mine, its in zip(self.squares[one], self.squares[other], strict=True)]
        if len(differences) < 2:
            return False
        return abs(fmean(differences)) > NORMAL_QUANTILE * stdev(differences) / sqrt(len(differences))


def try_designs(results: Sequence[BlockResult]) -> TriedDesigns:
    """Return how much the scores of these blocks vary. The results must be in the order of their blocks' numbers."""
    scores: Mapping[Scoring, BlockScores] = {
        Scoring.PLAIN: plain_scores(results).scores,
        Scoring.ONE_TABLE: scores_at_one_table(results),
        Scoring.SEVERAL_TABLES: adjust_scores(results, EVEN_DRAW).scores,
    }
    names = {name for result in results for name in result.block.names}
    count = sum(len(result.block.names) for result in results)
    return TriedDesigns({scoring: _squares(blocks) for scoring, blocks in scores.items()}, count - len(names))


def scores_at_one_table(results: Sequence[BlockResult]) -> BlockScores:
    """Return the scores by block as if each table had a deal of its own."""
    blocks = [
        BlockResult(replace(result.block, tables=(table.seats,)), (table,))
        for result in results
        for table in result.tables
    ]
    scores = iter(adjust_scores(blocks, EVEN_DRAW).scores)
    return [{name: score for _ in result.tables for name, score in next(scores).items()} for result in results]


def _squares(blocks: BlockScores) -> list[float]:
    """Return for each block the sum of the squared distances of its scores from the means of their entrants."""
    by_name = defaultdict[str, list[float]](list)
    for block in blocks:
        for name, score in block.items():
            by_name[name].append(score)
    means = {name: fmean(scores) for name, scores in by_name.items()}
    return [sum((score - means[name]) ** 2 for name, score in block.items()) for block in blocks]


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
