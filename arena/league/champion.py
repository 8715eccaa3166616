"""Who leads a league, or has won it, and by what: a clear lead, a play-off or a tie-break.

The lead is clear if the score of who has the most can be separated from all others'. If not, those from whom it cannot
are its rivals, and the tie-breaks among them and itself name the champion, unless a play-off does, by points and, where
these are equal, by the tie-breaks. So the champion need not stand in the table's first row, which is no fault: between
these rows the scores tell nothing. Who played less than half of the median of games cannot be champion.
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
    """Who it is."""

    name: str
    by: ChampionReason
    contenders: tuple[str, ...]
    """Between whom it was decided, as they stand in the table: one if the lead is clear."""


@dataclass(frozen=True, slots=True)
class StandingsInputs:
    """What a league's decisions rest on."""

    results: Sequence[BlockResult]
    """Of blocks that count."""
    play_off: Sequence[BlockResult]
    in_play_off: Collection[str]
    """Whom it is to decide between; others fill its tables."""
    counted: Mapping[str, Tally]
    """By name, of blocks that count."""
    measure: RankingMeasure
    seed: bytes
    """From which lots are drawn."""

    def break_ties(self, names: Sequence[str]) -> tuple[list[str], list[TieBreak]]:
        """Put names into order by the tie-breaks; also return by what each stands above the next."""
        if len(names) < 2:
            return list(names), []
        keys = ranked_tie_break_keys(names, self.results, self.counted, self.seed)
        order = list(keys)
        return order, [deciding_criterion(keys[one], keys[two]) for one, two in pairwise(order)]


def find_champion(order: Sequence[str], evidence: StandingsInputs) -> Champion | None:
    """Return who leads among those who are in the running, best first; None if none of them has played."""
    played_off = [name for name in order if name in evidence.in_play_off] if evidence.play_off else []
    contenders = _best_in_play_off(played_off, evidence.play_off) if played_off else _contenders(order, evidence)
    if not contenders:
        return None
    if len(contenders) > 1:
        settled, reasons = evidence.break_ties(contenders)
        return Champion(settled[0], reasons[0], tuple(contenders))
    return Champion(contenders[0], "play-off" if played_off else "clear lead", tuple(played_off or contenders))


def _best_in_play_off(names: Sequence[str], play_off: Sequence[BlockResult]) -> list[str]:
    """Return who has the most points by game in the play-off; all, as long as none of them has played in it."""
    points = defaultdict[str, list[float]](list)
    for result in play_off:
        for name, score in block_scores(result, compares=False).items():
            points[name].append(score.points)
    means = {name: round(fmean(points[name]), 9) for name in names if name in points}
    best = max(means.values(), default=None)
    return [name for name in names if means.get(name) == best]


def _contenders(order: Sequence[str], evidence: StandingsInputs) -> list[str]:
    """Return the first who has played enough, and those from whom it cannot be separated."""
    games = {name: evidence.counted[name].game_count for name in order if evidence.counted[name].game_count}
    running = [name for name in games if games[name] >= median(games.values()) / 2]
    return [name for name in running if not evidence.measure.are_separable(running[0], name)]
