"""The sequential test: after each batch of blocks it says yes, no or open, and it needs few blocks to decide.

A block's score is the mean number of places a game by which the candidate finishes above the baseline. The test
compares two values of the expected score, `low` and `high`. It is a generalised sequential probability ratio test for
scores of unknown variance. After n blocks its ratio is

    ratio = (n - 8) * (high - low) * lead / variance,   lead = mean - (low + high) / 2,

as in the testing of chess engines (fishtest, `LLRcalc.py`; fastchess, `sprt.cpp`). The variance is the sum of the
squared deviations, divided by n. The test says yes when the ratio reaches ln((1 - error) / error), and no when it
reaches the negative of this (A. Wald, Annals of Mathematical Statistics 16, 1945, section 3). The 8 corrects for stops
at which the variance happens to look small. `make compare-statistics` measures the resulting errors. The ratio is
computed only after whole batches, so it has usually gone beyond a bound when the test stops. To make up for this, the
bounds are nearer to 0, by 0.583 standard deviations of the amount that a batch adds (D. Siegmund, Sequential Analysis,
1985, section X.2).

Scores that hardly vary may hide rare ones that are far off, so a small variance counts as a larger one
(`ScoreSummary.assumed_variance`). If a few scores were far off already, on the side that speaks against the verdict,
the variance is multiplied by `ScoreSummary.tail_factor`. With candidates that are a little better in most blocks, are
crushed in a few, and so have an effect at the wrong end, 1,000 comparisons of each kind gave (margin 0.2):

    blocks lost, by how many places, deviation of the rest    wrong yes    not told    without these rules
    8 %, 2.6, 0.1                                               9.5 %       0.3 %           20.9 %
    5 %, 2.6, 0.3                                               8.3 %       0.6 %           12.6 %
    12 %, 2.0, 0.2                                              6.8 %       0.3 %           15.6 %
    8 %, 2.6, 0.72                                              5.2 %       4.0 %            8.5 %

In all but those of the middle column, the answer says that there is a tail, or what it cannot exclude
(`arena/competition/compare/unseen_blow.py`). Seven pairs of real programs need 4 to 5 % more games for these rules.
(Johnson's correction of the mean, N. J. Johnson, JASA 73, 1978, left the worst of these at 17 %: the blow that was not
seen yet has no skewness.)

If consecutive scores resemble each other, the variance is multiplied by the factor of
`arena/competition/compare/dependence.py`.

A block may be void and played again because the machine took time from a bot. A program that causes such delays in its
worst blocks would play the good ones for the verdict: with a twentieth of its blocks void, a quarter of the candidates
that are no better passed. So the test runs a second time on all attempts, the void ones counted as played, and a
verdict stands only if both runs say it after the same batch. `make compare-statistics` measures what that costs.

Mode `same` runs two such tests side by side, each with two fifths of the error. One asks whether the candidate is
better, the other whether the baseline is. The answer is yes if both tests say no after the same batch, and no if either
test says yes. It is enough to test the program that leads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt
from types import MappingProxyType
from typing import Final

from arena.competition.compare.dependence import Dependence, judge_dependence, variance_factor

OVERSHOOT: Final = 0.583
"""How far a random walk with normal steps goes beyond a bound on average, in standard deviations of a step."""
BATCH_BLOCKS: Final = 4
"""Blocks in a batch. The test computes its ratio after each batch."""
UNCOUNTED_BLOCKS: Final = 8
"""Blocks that the ratio leaves out. See the module's docstring."""
TAIL_ERRORS: Final = 2.5
"""A tail counts if the skewness exceeds 0 by this many of its standard errors, which are sqrt(6 / n)."""
TAIL_SHARE: Final = 0.5
"""By which share of itself each unit of skewness increases the variance."""
MOST_SKEWNESS: Final = 4.0
SAME_SHARE: Final = 0.4
"""Which share of the error each of the two tests of mode `same` has. With halves, blocks with an autocorrelation of 0.3
got a wrong no in 6.3 % of 4,000 comparisons."""
GUARD: Final = 1.25
"""How many times `min_variance` counts if blocks do not vary at all. See `ScoreSummary.assumed_variance`."""
MIN_BLOCKS: Final = 12
"""No verdict is given before this many blocks, because fewer do not show the variance well enough."""

_LEAST_VARIANCE: Final = 1e-12
"""Share of the mean square below which a variance is the rounding error of equal scores."""


class SequentialVerdict(StrEnum):
    """What the blocks so far say."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class ComparisonMode(StrEnum):
    BETTER = "better"
    """Is the candidate better? The test compares no effect with an effect of the margin."""
    NOT_WORSE = "not-worse"
    """Is the candidate not worse? The test compares an effect of minus the margin with no effect."""
    SAME = "same"
    """Is neither better? The test compares no effect with an effect of the margin in either direction."""


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    mode: ComparisonMode = ComparisonMode.BETTER
    margin: float = 0.2
    """The smallest effect that matters, in places a game; above 0."""
    error: float = 0.05
    """Allowed rate of a wrong yes, and of a wrong no; above 0 and below 0.5."""
    seats: int = 4
    """Seats at a table: scores lie within ±(seats - 1)."""
    number: int | None = None
    """Which try this is, from 1, of a branch whose tries share the error; None if the error is this comparison's."""

    @property
    def low(self) -> float:
        """Return the lower of the two effects that the test compares, in places a game."""
        return -self.margin if self.mode is ComparisonMode.NOT_WORSE else 0.0

    @property
    def high(self) -> float:
        """Return the higher of the two effects that the test compares, in places a game."""
        return self.low + self.margin

    @property
    def middle(self) -> float:
        """Return the effect halfway between `low` and `high`, in places a game."""
        return self.low + self.margin / 2

    @property
    def own_error(self) -> float:
        """Return the allowed rate of a wrong answer of this comparison alone.

        After n tries, error / (n + 1)^2 is left for those to come, so all tries together err as one without a number. A
        first try needs 13 % more games than such a one, the second 1.8 times as many, the fifth 2.7 times.
        """
        if self.number is None:
            return self.error
        return self.error * (1 / self.number**2 - 1 / (self.number + 1) ** 2)

    @property
    def bound(self) -> float:
        """Return the log ratio at which a test says yes if it computes the ratio after every block.

        At the negative of this log ratio, the test says no.
        """
        error = SAME_SHARE * self.own_error if self.mode is ComparisonMode.SAME else self.own_error
        return log((1 - error) / error)

    @property
    def min_variance(self) -> float:
        """Return the variance below which a variance counts as more than it is.

        Suppose that a program plays like the other one, except that now and then it finishes last in a game that the
        other one wins. It does so just often enough to be worse by the margin. Its score is -(seats - 1) / seats in a
        block with such a game, and 0 in all other blocks. So the variance of its scores is about margin * (seats - 1) /
        seats. Before the first such game, all its scores are equal, so the observed variance is 0. A quarter more than
        this variance counts then, and mode `not-worse` accepts such programs in 0.1 % of comparisons; with half of this
        variance it was 16 to 20 %.
        """
        return self.margin * (self.seats - 1) / self.seats

    def lead(self, mean: float) -> float:
        """Return how far a mean score is on the side of yes, in places a game. Below 0 it is on the side of no."""
        return self.middle - abs(mean) if self.mode is ComparisonMode.SAME else mean - self.middle

    def skewness_against(self, mean: float, skewness: float) -> float:
        """Return how much of a skewness speaks against the verdict to which a mean leads; below 0 if it speaks for it.

        A tail below speaks against "better", a tail above against "worse", and either against "same".
        """
        if self.mode is not ComparisonMode.SAME:
            return -skewness if mean > self.middle else skewness
        return abs(skewness) if self.lead(mean) > 0 else -skewness if mean > 0 else skewness


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """Count, mean and variance of the scores of blocks, and how much each score resembles the one before it."""

    count: int
    mean: float
    variance: float
    """Observed variance: the sum of the squared deviations, divided by the count."""
    autocorrelation: float = 0.0
    """Observed correlation of each score with the one before it, -1 to 1."""
    third_moment: float = 0.0
    """The sum of the cubes of the deviations, divided by the count."""

    @classmethod
    def from_scores(cls, scores: Sequence[float]) -> "ScoreSummary":
        """Return the summary of the scores of at least one block, in the order of the blocks."""
        sums = _ScoreSums()
        for score in scores:
            sums.add(score)
        return sums.summarize()

    @property
    def dependence(self) -> Dependence:
        """Return whether consecutive blocks resemble each other."""
        return judge_dependence(self.count, self.autocorrelation)

    @property
    def variance_factor(self) -> float:
        """Return by which factor the variance is multiplied because blocks depend on each other; 1 or more."""
        return variance_factor(self.count, self.autocorrelation)

    def assumed_variance(self, question: ComparisonQuestion) -> float:
        """Return the variance of a score: the observed one, or more if that is below `min_variance` of the question.

        The less the scores vary, the more may be hidden: `min_variance` is what rare lost games alone would cause. So
        equal scores count as if they had `GUARD` times this variance. Identical programs need 32 blocks then, and with
        a guard of 1, 1.5 and 2 they need 28, 36 and 48; of candidates that are crushed in a few blocks, up to 9.5 % get
        a wrong yes, and with these guards 11, 8.4 and 5.6 % (1,000 comparisons of each kind above). A wide guard costs
        every rewritten bot games for a bug that hardly any has, so what a narrow one misses is told instead.
        """
        return max(self.variance, GUARD * question.min_variance - (GUARD - 1) * self.variance)

    def tail_factor(self, question: ComparisonQuestion) -> float:
        """Return the factor of the variance, 1 to 3, because of a tail that speaks against the verdict."""
        skewness = question.skewness_against(self.mean, self.third_moment / self.assumed_variance(question) ** 1.5)
        if skewness * sqrt(self.count / 6) <= TAIL_ERRORS:
            return 1.0
        return 1 + TAIL_SHARE * min(skewness, MOST_SKEWNESS)

    def effective_variance(self, question: ComparisonQuestion) -> float:
        """Return the variance that the test uses: the assumed one, times the factors for dependence and for a tail."""
        return self.assumed_variance(question) * self.variance_factor * self.tail_factor(question)

    def log_likelihood_ratio(self, question: ComparisonQuestion) -> float:
        """Return the log likelihood ratio, above 0 for yes."""
        counted = max(0, self.count - UNCOUNTED_BLOCKS)
        return counted * question.margin * question.lead(self.mean) / self.effective_variance(question)

    def bound(self, question: ComparisonQuestion) -> float:
        """Return the ratio that stops the test, given that the test computes it only after whole batches."""
        step = question.margin * sqrt(BATCH_BLOCKS / self.effective_variance(question))
        return max(question.bound - OVERSHOOT * step, question.bound / 2)

    def stopping_sum(self, question: ComparisonQuestion, count: int) -> float:
        """Return the sum of (score - middle) that stops the test after `count` scores that vary as much as these."""
        scale = self.effective_variance(question) / question.margin
        return self.bound(question) * scale * count / (count - UNCOUNTED_BLOCKS)

    def verdict(self, question: ComparisonQuestion) -> SequentialVerdict:
        """Return the verdict after these blocks, whose number must be a multiple of `BATCH_BLOCKS`."""
        ratio = self.log_likelihood_ratio(question)
        if self.count < MIN_BLOCKS or abs(ratio) < self.bound(question):
            return SequentialVerdict.OPEN
        return SequentialVerdict.YES if ratio > 0 else SequentialVerdict.NO


class _ScoreSums:
    """Sums over scores, from which a summary takes the same time however many they are."""

    def __init__(self) -> None:
        self._count = 0
        self._total = self._squares = self._cubes = self._neighbours = self._first = self._last = 0.0

    def add(self, score: float) -> None:
        if self._count:
            self._neighbours += self._last * score
        else:
            self._first = score
        self._count, self._last = self._count + 1, score
        self._total, self._squares = self._total + score, self._squares + score * score
        self._cubes += score**3

    def summarize(self) -> ScoreSummary:
        """Return the summary of the scores so far; at least one was added."""
        count, mean = self._count, self._total / self._count
        variance = self._squares / count - mean * mean
        if variance <= _LEAST_VARIANCE * self._squares / count:
            return ScoreSummary(count, mean, 0.0)
        inner = 2 * self._total - self._first - self._last  # each score counts as often as it has neighbours
        products = self._neighbours - mean * inner + (count - 1) * mean * mean
        third = self._cubes / count - 3 * mean * self._squares / count + 2 * mean**3
        return ScoreSummary(count, mean, variance, products / (count * variance), third)


VoidScores = Mapping[int, Sequence[float]]
"""The scores that the void attempts at a block would have had, by the block's index, from 0."""


def run_sequential_test(
    scores: Sequence[float], question: ComparisonQuestion, voided: VoidScores = MappingProxyType({})
) -> tuple[int, SequentialVerdict]:
    """Test scores batch by batch, in the order of their blocks. Return how many scores were used, and the verdict.

    If the verdict is open, all whole batches were used.

    >>> run_sequential_test([1.0] * 20, ComparisonQuestion())
    (12, <SequentialVerdict.YES: 'yes'>)
    >>> run_sequential_test([1.0] * 20, ComparisonQuestion(), {3: [-3.0], 7: [-3.0]})
    (20, <SequentialVerdict.OPEN: 'open'>)
    """
    counted, attempted = _ScoreSums(), _ScoreSums()
    for index, score in enumerate(scores):
        counted.add(score)
        for attempt in (*voided.get(index, ()), score):
            attempted.add(attempt)
        count = index + 1
        if count % BATCH_BLOCKS == 0:
            verdict = counted.summarize().verdict(question)
            if verdict is not SequentialVerdict.OPEN and attempted.summarize().verdict(question) is verdict:
                return count, verdict
    return len(scores) - len(scores) % BATCH_BLOCKS, SequentialVerdict.OPEN


def all_attempts(scores: Sequence[float], voided: VoidScores) -> list[float]:
    """Return the scores with those of void attempts, each before the score that counts for its block."""
    return [attempt for index, score in enumerate(scores) for attempt in (*voided.get(index, ()), score)]
