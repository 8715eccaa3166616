"""A screen for collusion: pairs that call each other, or in CHEATER attack each other, less than their games explain.

The null hypothesis: the rate at which one entrant calls another is (what the chances predict, game by game:
`expected_calls`) times (its general rate of calling) times (the other's general rate of being called:
`call_rate_model`), except for chance and for a spread between pairs that honest bots show too, because they are not
exactly such products (`deviation`). The spread is estimated from the middle half of all pairs, so that a few colluding
pairs do not inflate it.

The test is one-sided, on the sum of both directions, with Holm's correction for all pairs (Scand. J. Statist. 6, 1979,
p. 65). Conspicuous pairs are measured again by a fit without them, because a pair that does not call each other makes
its other calls look many; the worst one is flagged and set aside, and the screening starts again.

A flag says that chance and the deals do not explain the figures. It is not proof: bots that learn how the other plays,
or fail in the same games, may show the same.

Power (eight bots at tables of four): two sample bots of Cheat that never called each other were found in 35 of 40
samples of fifty games in all, about eleven of them with both, and in all samples of a hundred; two that skip every
second call of each other, in simulated leagues, after forty games of each bot in 52 of 60. Of 660 simulated leagues of
honest bots none had a flag. In CHEATER honest bots choose their victims so unevenly that far more games are needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

from arena.analytics.call_rate_model import EntrantPair
from arena.analytics.counts import PairSums
from arena.analytics.deviation import CollusionFit, PairDeviation, PairDirection

SIGNIFICANCE_LEVEL = 0.01
"""Probability that any pair of a league is flagged although none colludes."""
MAX_FLAGGED_RATIO = 0.75
"""Highest ratio of actual to expected calls for a flag; a smaller effect matters little, however significant."""
MAX_SUSPECTS = 8
"""Most conspicuous pairs that are measured again, each by its own fit."""


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The evidence on a pair."""

    directions: tuple[PairDirection, PairDirection]
    ratio: float
    """Actual to expected calls, both directions together."""
    z: float
    """Standard deviations from the expected calls; negative: fewer."""
    p: float
    """Probability of this few calls or fewer without collusion, for this pair alone."""
    p_of_all: float
    """`p` with Holm's correction for all pairs."""
    is_flagged: bool = False


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """The result for all pairs that could be judged."""

    pairs: tuple[PairEvidence, ...]
    """Flagged ones first, in the order in which they were found, then by p."""
    spread: float
    """Standard deviation of the ratio between honest pairs, beyond chance."""
    unjudged_count: int
    """Pairs that met too rarely, or whose calls have no comparison."""

    @property
    def flagged_pairs(self) -> tuple[PairEvidence, ...]:
        """The flagged pairs."""
        return tuple(pair for pair in self.pairs if pair.is_flagged)


def screen_for_collusion(pairs: Mapping[EntrantPair, PairSums]) -> ScreeningResult:
    """Screen all pairs of a league; `pairs`: `AnalyticsTotals.pairs`."""
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
    """Return the most conspicuous pair, measured by a fit without it; None if none is flagged."""
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
    """Return the evidence on all pairs, least probable first."""
    ordered = sorted(view.deviations, key=lambda each: (each.z_score(view.spread), each.pair))
    found: list[PairEvidence] = []
    p_of_all = 0.0
    for place, each in enumerate(ordered):
        z = each.z_score(view.spread)
        p_of_all = max(min(_lower_tail(z) * (len(ordered) - place), 1.0), p_of_all)
        found.append(PairEvidence(each.directions, each.ratio, z, _lower_tail(z), p_of_all))
    return found


def _lower_tail(z: float) -> float:
    """Return the probability of a value below z in a normal distribution."""
    return erfc(-z / sqrt(2)) / 2
