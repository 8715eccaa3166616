"""Screens for collusion: finds pairs that call each other less often than their games would lead one to expect.

In CHEATER, attacks take the place of calls. The null hypothesis says that the number of calls of one entrant against
another is a product of three factors:

* the number that the chances in each game predict (`expected_calls`);
* the caller's general rate of calling (`call_rate_model`);
* the accused's general rate of being called (`call_rate_model`).

The actual numbers differ from this product by chance and by a *spread* between pairs. Honest bots have a spread too,
because their calls are not exactly such a product. The spread is estimated from the middle half of all pairs, so that a
few colluding pairs do not inflate it (`deviation`).

The test is one-sided. It takes both directions of a pair together, and applies Holm's correction for all pairs (Scand.
J. Statist. 6, 1979, p. 65). If two entrants never call each other, their calls in other pairs look frequent by
comparison. Each conspicuous pair is therefore measured again by a fit that leaves the pair out. If any of these
measurements is significant, the worst pair is flagged and set aside, and the screening starts again.

A flag says that chance and the deals do not explain the figures. It is not proof: two bots may show the same figures if
each learns how the other one plays, or if both fail in the same games.

The power was measured with eight bots at tables of four. Two sample bots of Cheat that never called each other were
found in 35 of 40 samples of fifty games, and in all samples of a hundred games. In about eleven of fifty games both
bots sat at the table. In simulated leagues, two bots that skipped every second call against each other were found in 52
of 60 leagues after forty games of each bot. None of 660 simulated leagues of honest bots had a flag. In CHEATER honest
bots choose their victims so unevenly that the screen needs far more games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

from arena.replays.analytics.call_rate_model import EntrantPair
from arena.replays.analytics.counts import PairSums
from arena.replays.analytics.deviation import CollusionFit, PairDeviation, PairDirection

SIGNIFICANCE_LEVEL = 0.01
"""Probability that a league has a flag although no pair colludes."""
MAX_FLAGGED_RATIO = 0.75
"""A pair is only flagged below this ratio of actual to expected calls. Smaller effects matter little."""
MAX_SUSPECTS = 8
"""At most this many conspicuous pairs are measured again. Each is measured by a fit that leaves the pair out."""


@dataclass(frozen=True, slots=True)
class PairEvidence:
    directions: tuple[PairDirection, PairDirection]
    ratio: float
    """Ratio of actual to expected calls, in both directions together."""
    z: float
    """Distance from the expected calls in standard deviations; negative for fewer calls."""
    p: float
    """Probability that an honest pair makes this few calls or fewer. It is not corrected for the number of pairs."""
    p_of_all: float
    """`p` with Holm's correction for all pairs."""
    is_flagged: bool = False


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """The evidence on all pairs that could be judged."""

    pairs: tuple[PairEvidence, ...]
    """The flagged pairs in the order in which they were found, followed by the other pairs in ascending order of p."""
    spread: float
    """Standard deviation of the ratio among honest pairs, beyond what chance explains."""

    @property
    def flagged_pairs(self) -> tuple[PairEvidence, ...]:
        return tuple(pair for pair in self.pairs if pair.is_flagged)


def screen_for_collusion(pairs: Mapping[EntrantPair, PairSums]) -> ScreeningResult:
    """Return the evidence on all pairs of a league. `pairs` comes from `AnalyticsTotals.pairs`."""
    fit = CollusionFit(pairs)
    flagged: list[PairEvidence] = []
    while (worst := _find_worst_pair(pairs, fit)) is not None:
        flagged.append(worst)
        one = worst.directions[0]
        fit = CollusionFit(pairs, fit.set_aside | {(one.caller, one.accused)})
    return ScreeningResult((*flagged, *_evidence_by_p(fit)), fit.spread)


def _find_worst_pair(pairs: Mapping[EntrantPair, PairSums], fit: CollusionFit) -> PairEvidence | None:
    """Return the most conspicuous pair, or None if no pair is to be flagged. Each fit leaves the measured pair out."""
    suspects = sorted(
        (each for each in fit.deviations if each.ratio < MAX_FLAGGED_RATIO), key=lambda each: each.z_score(0.0)
    )
    measured = [_measure_alone(pairs, fit, suspect) for suspect in suspects[:MAX_SUSPECTS]]
    flagged = [each for each in measured if each.is_flagged]
    return min(flagged, key=lambda each: each.z, default=None)


def _measure_alone(pairs: Mapping[EntrantPair, PairSums], fit: CollusionFit, suspect: PairDeviation) -> PairEvidence:
    """Return the evidence on a pair, measured by a fit that leaves the pair out."""
    without = CollusionFit(pairs, fit.set_aside | {suspect.pair})
    measured = without.deviation(suspect.pair)
    z = measured.z_score(without.spread)
    p_of_all = min(_lower_tail(z) * len(fit.deviations), 1.0)
    is_flagged = p_of_all < SIGNIFICANCE_LEVEL and measured.ratio < MAX_FLAGGED_RATIO
    return PairEvidence(measured.directions, measured.ratio, z, _lower_tail(z), p_of_all, is_flagged)


def _evidence_by_p(fit: CollusionFit) -> Sequence[PairEvidence]:
    """Return the evidence on all pairs that are not set aside, in ascending order of p."""
    ordered = sorted(fit.deviations, key=lambda each: (each.z_score(fit.spread), each.pair))
    evidence: list[PairEvidence] = []
    p_of_all = 0.0
    for place, each in enumerate(ordered):
        z = each.z_score(fit.spread)
        p_of_all = max(min(_lower_tail(z) * (len(ordered) - place), 1.0), p_of_all)
        evidence.append(PairEvidence(each.directions, each.ratio, z, _lower_tail(z), p_of_all))
    return evidence


def _lower_tail(z: float) -> float:
    """Return the probability of a value below z in the standard normal distribution."""
    return erfc(-z / sqrt(2)) / 2
