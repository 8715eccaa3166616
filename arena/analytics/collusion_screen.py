"""A screen for collusion: pairs that call each other, or in CHEATER attack each other, less than their games explain.

The null hypothesis: how often one entrant calls another is (how the chances looked, game by game: `sparing`) times
(how it calls in general) times (how the other is called in general: `tendencies`), but for chance and for a spread
between pairs that honest bots have too, as they are no such products (`deviation`). That spread is estimated from the
middle half of all pairs, so that a few colluding ones do not hide behind themselves.

Tested is the sum of both directions, one-sided, with Holm's correction for all pairs (Scand. J. Statist. 6, 1979,
p. 65). Pairs that stand out are measured once more by a fit without them, since the other calls of two that spare each
other seem many beside those that are missing; the worst is flagged and set aside, and all begins anew.

A flag says that chance and the deals do not explain it, and shows the figures. It is no verdict: bots that learn how
the other plays, or fail in the same games, may do the same.

What to expect (eight bots at tables of four): two sample bots of Cheat that never called each other were found in 35 of
40 samples of fifty games in all, some eleven of them with both, and in all samples of a hundred; two that spare each
other every second time, in simulated leagues, after forty games of each bot in 52 of 60. Of 660 simulated leagues of
honest bots none had a flag. In CHEATER honest bots choose their victims so unevenly that far more games are needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

from arena.analytics.call_rate_model import EntrantPair
from arena.analytics.counts import PairSums
from arena.analytics.deviation import CollusionFit, PairDeviation, PairDirection

SIGNIFICANCE_LEVEL = 0.01
"""Chance that any pair of a league is flagged where nobody colludes."""
MAX_FLAGGED_RATIO = 0.75
"""A flag needs so small a share of the expected calls: less than that matters little, however sure it is."""
MAX_SUSPECTS = 8
"""So many pairs are measured once more, each by a fit of its own."""


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """What is known of a pair."""

    directions: tuple[PairDirection, PairDirection]
    ratio: float
    """Calls that were made, both ways together, to those that were expected."""
    z: float
    """Standard deviations from what was expected; negative: fewer."""
    p: float
    """Chance of so few calls, or fewer, without collusion; of this pair alone."""
    p_of_all: float
    """The same with Holm's correction for all pairs."""
    is_flagged: bool = False


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """All pairs that could be judged."""

    pairs: tuple[PairEvidence, ...]
    """Flagged ones first, in the order in which they were found, then by p."""
    spread: float
    """Standard deviation of the ratio between honest pairs, beyond chance."""
    unjudged_count: int
    """Pairs that met too seldom, or whose calls nothing can be compared with."""

    @property
    def flagged_pairs(self) -> tuple[PairEvidence, ...]:
        """The pairs that are flagged."""
        return tuple(pair for pair in self.pairs if pair.is_flagged)


def screen_for_collusion(pairs: Mapping[EntrantPair, PairSums]) -> ScreeningResult:
    """Screen all pairs of a league; `pairs` as `AnalyticsTotals` has them."""
    view = CollusionFit(pairs)
    found: list[PairEvidence] = []
    while (worst := _find_worst_pair(pairs, view)) is not None:
        found.append(worst)
        one = worst.directions[0]
        view = CollusionFit(pairs, view.set_aside | {(one.caller, one.accused)})
    rest = _evidence_by_p(view)
    pair_count = len({frozenset(pair) for pair in pairs})
    return ScreeningResult((*found, *rest), view.spread, pair_count - len(found) - len(rest))


def _find_worst_pair(pairs: Mapping[EntrantPair, PairSums], view: CollusionFit) -> PairEvidence | None:
    """Find the pair that stands out most by a fit without it; None where none stands out enough."""
    suspects = sorted(
        (each for each in view.deviations if each.ratio < MAX_FLAGGED_RATIO), key=lambda each: each.z_score(0.0)
    )
    seen = [_measure_alone(pairs, view, suspect) for suspect in suspects[:MAX_SUSPECTS]]
    clear = [each for each in seen if each.is_flagged]
    return min(clear, key=lambda each: each.z, default=None)


def _measure_alone(pairs: Mapping[EntrantPair, PairSums], view: CollusionFit, suspect: PairDeviation) -> PairEvidence:
    without = CollusionFit(pairs, view.set_aside | {suspect.pair})
    measured = without.deviation(suspect.pair)
    z = measured.z_score(without.spread)
    p_of_all = min(_lower_tail(z) * len(view.deviations), 1.0)
    is_flagged = p_of_all < SIGNIFICANCE_LEVEL and measured.ratio < MAX_FLAGGED_RATIO
    return PairEvidence(measured.directions, measured.ratio, z, _lower_tail(z), p_of_all, is_flagged)


def _evidence_by_p(view: CollusionFit) -> Sequence[PairEvidence]:
    """Give the evidence on all pairs, least probable first."""
    ordered = sorted(view.deviations, key=lambda each: (each.z_score(view.spread), each.pair))
    found: list[PairEvidence] = []
    p_of_all = 0.0
    for place, each in enumerate(ordered):
        z = each.z_score(view.spread)
        p_of_all = max(min(_lower_tail(z) * (len(ordered) - place), 1.0), p_of_all)
        found.append(PairEvidence(each.directions, each.ratio, z, _lower_tail(z), p_of_all))
    return found


def _lower_tail(z: float) -> float:
    """Chance of a value below z, of a normal distribution."""
    return erfc(-z / sqrt(2)) / 2
