"""Who leads or has won a league, and why: a clear lead, a play-off or a tie-break.

The lead is clear if the highest score is separable from all others. If not, the leader and the entrants it cannot be
separated from are contenders, and the tie-breaks among them name the champion, unless a play-off does: by points, and
by the tie-breaks if those are equal. So the champion is not always in the first row of the table; that is intended, as
the scores do not separate these rows. An entrant with less than half the median number of games cannot be champion.
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
    """The entrants between whom it was decided, in table order; only the champion if the lead is clear."""


@dataclass(frozen=True, slots=True)
class StandingsInputs:
    """The inputs of a league's decisions."""

    results: Sequence[BlockResult]
    """Results of the blocks that count."""
    play_off: Sequence[BlockResult]
    in_play_off: Collection[str]
    """The entrants the play-off decides between; others only fill its tables."""
    counted: Mapping[str, Tally]
    """Tallies over the blocks that count, by name."""
    measure: RankingMeasure
    seed: bytes
    """The seed of the lots."""

    def break_ties(self, names: Sequence[str]) -> tuple[list[str], list[TieBreak]]:
        """Return the names ordered by the tie-breaks, and the criterion that puts each above the next."""
        if len(names) < 2:
            return list(names), []
        keys = ranked_tie_break_keys(names, self.results, self.counted, self.seed)
        order = list(keys)
        return order, [deciding_criterion(keys[one], keys[two]) for one, two in pairwise(order)]


def find_champion(order: Sequence[str], evidence: StandingsInputs) -> Champion | None:
    """Return the leader among `order` (table order, best first); None if none of them has played."""
    played_off = [name for name in order if name in evidence.in_play_off] if evidence.play_off else []
    contenders = _best_in_play_off(played_off, evidence.play_off) if played_off else _contenders(order, evidence)
    if not contenders:
        return None
    if len(contenders) > 1:
        settled, reasons = evidence.break_ties(contenders)
        return Champion(settled[0], reasons[0], tuple(contenders))
    return Champion(contenders[0], "play-off" if played_off else "clear lead", tuple(played_off or contenders))


def _best_in_play_off(names: Sequence[str], play_off: Sequence[BlockResult]) -> list[str]:
    """Return the entrants with the most points per game in the play-off; all of them before its first game."""
    points = defaultdict[str, list[float]](list)
    for result in play_off:
        for name, score in block_scores(result, compares=False).items():
            points[name].append(score.points)
    means = {name: round(fmean(points[name]), 9) for name in names if name in points}
    best = max(means.values(), default=None)
    return [name for name in names if means.get(name) == best]


def _contenders(order: Sequence[str], evidence: StandingsInputs) -> list[str]:
    """Return the best entrant with enough games, and those that cannot be separated from it."""
    games = {name: evidence.counted[name].game_count for name in order if evidence.counted[name].game_count}
    running = [name for name in games if games[name] >= median(games.values()) / 2]
    return [name for name in running if not evidence.measure.are_separable(running[0], name)]
