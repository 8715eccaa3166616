"""Finds who leads or has won a league, and why: by a clear lead, a play-off or a tie-break.

Two scores are separable if the interval of their difference excludes 0. The lead is clear if the highest score is
separable from all others. Otherwise the *contenders* are the leader and all entrants that are not separable from the
leader. If there is a play-off, its points name the champion among the contenders, and the tie-breaks decide between
equal points. Without a play-off, the tie-breaks name the champion.

The champion is therefore not always in the first row of the standings. That is intended, because the champion's score
and the score in the first row are not separable. An entrant with less than half the median number of games cannot be
champion.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Literal

from arena.league.model import BlockResult
from arena.league.points import block_scores
from arena.league.ranking_measure import RankingMeasure
from arena.league.tally import Tally
from arena.league.tie_breaks import TieBreak, deciding_criterion, ranked_tie_break_keys

ChampionReason = TieBreak | Literal["clear lead", "play-off", "bracket"]


@dataclass(frozen=True, slots=True)
class Champion:
    """The champion or current leader, and why."""

    name: str
    by: ChampionReason
    contenders: tuple[str, ...]
    """The entrants among whom the champion was found, in the order of the standings. A clear lead leaves only the
    champion."""


@dataclass(frozen=True, slots=True)
class StandingsInputs:
    """The inputs from which the order and the champion follow."""

    results: Sequence[BlockResult]
    """Results of the blocks that count."""
    play_off: Sequence[BlockResult]
    """Results of the play-off blocks."""
    in_play_off: Collection[str]
    """The entrants among whom the play-off decides. Other entrants only fill its tables."""
    counted: Mapping[str, Tally]
    """Tallies over the blocks that count, by name."""
    measure: RankingMeasure
    seed: bytes
    """The seed of the lots."""

    def break_ties(self, names: Sequence[str]) -> tuple[list[str], list[TieBreak]]:
        """Return the names ordered by the tie-breaks, and the criterion that puts each name above the next one."""
        if len(names) < 2:
            return list(names), []
        keys = ranked_tie_break_keys(names, self.results, self.counted, self.seed)
        order = list(keys)
        return order, [deciding_criterion(keys[one], keys[two]) for one, two in pairwise(order)]


def find_champion(order: Sequence[str], evidence: StandingsInputs) -> Champion | None:
    """Return the leader among the names in `order`, which are best first, or None if none of them has played."""
    finalists = [name for name in order if name in evidence.in_play_off] if evidence.play_off else []
    contenders = _best_in_play_off(finalists, evidence.play_off) if finalists else _contenders(order, evidence)
    if not contenders:
        return None
    if len(contenders) > 1:
        ranked, reasons = evidence.break_ties(contenders)
        return Champion(ranked[0], reasons[0], tuple(contenders))
    return Champion(contenders[0], "play-off" if finalists else "clear lead", tuple(finalists or contenders))


def _best_in_play_off(names: Sequence[str], play_off: Sequence[BlockResult]) -> list[str]:
    """Return the entrants with the most points per game in the play-off. Before its first game, return all."""
    points = defaultdict[str, list[float]](list)
    for result in play_off:
        for name, score in block_scores(result).items():
            points[name].append(score.points)
    means = {name: round(fmean(points[name]), 9) for name in names if name in points}
    best = max(means.values(), default=None)
    return [name for name in names if means.get(name) == best]


def _contenders(order: Sequence[str], evidence: StandingsInputs) -> list[str]:
    """Return the best entrant and all that are not separable from it. Only entrants with enough games can be chosen."""
    games = {name: evidence.counted[name].game_count for name in order if evidence.counted[name].game_count}
    eligible = [name for name in games if games[name] >= median(games.values()) / 2]
    return [name for name in eligible if not evidence.measure.are_separable(eligible[0], name)]
