"""The sequential test: after each batch of blocks it says yes, no or open, and it needs few blocks to decide.

A block's score is how many places a game the candidate finishes above the baseline, averaged over one deal. Two values
of its expectation, `low` and `high`, are compared by a generalised sequential probability ratio test for scores of
unknown variance,

    ratio = (n - 8) * (high - low) * lead / variance,   lead = mean - (low + high) / 2,   variance divided by n,

as in the testing of chess engines (fishtest, `LLRcalc.py`; fastchess, `sprt.cpp`). The test says yes when the ratio
reaches ln((1 - error) / error), no at its negative (A. Wald, Annals of Mathematical Statistics 16, 1945, section 3).
The 8 corrects for stopping where the variance happens to look small; `make compare-statistics` measures the resulting
errors. The test looks only after whole batches, when the sum has already overshot a bound, so the bounds are nearer by
0.583 standard deviations of what a batch adds (D. Siegmund, Sequential Analysis, 1985, section X.2).

If all scores so far are equal, later ones may still differ. So the variance counts as at least `min_variance`.

Mode `same` is two such tests at once, each with half the error: whether the candidate is better, and whether the
baseline is. The answer is yes if at one look neither is better, and no if one of them is. Only the program that leads
needs to be tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, log, sqrt
from typing import Final

OVERSHOOT: Final = 0.583
"""Mean overshoot of a random walk with normal steps over a bound, in standard deviations of a step."""
BATCH_BLOCKS: Final = 4
"""Blocks between two looks."""
UNCOUNTED_BLOCKS: Final = 8
"""Blocks that the ratio leaves out; see the module's docstring."""
MIN_BLOCKS: Final = 12
"""No verdict before this many: with fewer the variance is not known well enough."""


class SequentialVerdict(StrEnum):
    """What the blocks so far say."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class ComparisonMode(StrEnum):
    """What the comparison asks."""

    BETTER = "better"
    """Is the candidate better? No effect against an effect of the margin."""
    NOT_WORSE = "not-worse"
    """Is it not worse? An effect of minus the margin against no effect."""
    SAME = "same"
    """Is neither better? No effect against the margin to either side."""


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """The question of a comparison."""

    mode: ComparisonMode = ComparisonMode.BETTER
    margin: float = 0.2
    """Places a game, above 0."""
    error: float = 0.05
    """Allowed rate of each error, wrong yes and wrong no, above 0 and below 0.5."""
    seats: int = 4
    """Seats at a table: scores lie within ±(seats - 1)."""

    @property
    def low(self) -> float:
        """Return the lower of the two effects compared, places a game."""
        return -self.margin if self.mode is ComparisonMode.NOT_WORSE else 0.0

    @property
    def high(self) -> float:
        """Return the higher of the two effects compared, places a game."""
        return self.low + self.margin

    @property
    def middle(self) -> float:
        """Return the effect at which both are equally likely, places a game."""
        return self.low + self.margin / 2

    @property
    def bound(self) -> float:
        """Return the log ratio that decides yes in a test that looks after every block; its negative decides no."""
        error = self.error / 2 if self.mode is ComparisonMode.SAME else self.error
        return log((1 - error) / error)

    @property
    def min_variance(self) -> float:
        """Return the smallest variance with which the test computes, whatever was observed.

        Take a program that plays like the other one, but loses a game completely now and then, just often enough to
        reach the margin. Its scores are -(seats - 1) / seats in these blocks and 0 in all others, so their variance is
        about margin * (seats - 1) / seats. Before the first such game, all its scores are equal.
        """
        return self.margin * (self.seats - 1) / self.seats

    def lead(self, mean: float) -> float:
        """Return by how many places a game a mean score is on the side of yes; below 0 it is on the side of no."""
        return self.middle - abs(mean) if self.mode is ComparisonMode.SAME else mean - self.middle


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """Count, mean and variance of the scores of blocks."""

    count: int
    mean: float
    variance: float
    """Observed variance, divided by the count."""

    @classmethod
    def from_scores(cls, scores: Sequence[float]) -> "ScoreSummary":
        """Summarise the scores of at least one block."""
        return cls.from_sums(len(scores), fsum(scores), fsum(score * score for score in scores))

    @classmethod
    def from_sums(cls, count: int, total: float, squares: float) -> "ScoreSummary":
        """Summarise `count` scores by their sum and their sum of squares."""
        mean = total / count
        return cls(count, mean, max(0.0, squares / count - mean * mean))

    def effective_variance(self, question: ComparisonQuestion) -> float:
        """Return the variance used by the test: at least `min_variance` of the question."""
        return max(self.variance, question.min_variance)

    def log_likelihood_ratio(self, question: ComparisonQuestion) -> float:
        """Return the log likelihood ratio, above 0 for yes."""
        counted = max(0, self.count - UNCOUNTED_BLOCKS)
        return counted * question.margin * question.lead(self.mean) / self.effective_variance(question)

    def bound(self, question: ComparisonQuestion) -> float:
        """Return the ratio at which the test stops, given that it looks only after whole batches."""
        step = question.margin * sqrt(BATCH_BLOCKS / self.effective_variance(question))
        return max(question.bound - OVERSHOOT * step, question.bound / 2)

    def stopping_sum(self, question: ComparisonQuestion, count: int) -> float:
        """Return the sum of `count` scores, each minus the middle, at which the test stops if they vary like these."""
        scale = self.effective_variance(question) / question.margin
        return self.bound(question) * scale * count / (count - UNCOUNTED_BLOCKS)

    def verdict(self, question: ComparisonQuestion) -> SequentialVerdict:
        """Return the verdict after these blocks, whose number must be a multiple of `BATCH_BLOCKS`."""
        ratio = self.log_likelihood_ratio(question)
        if self.count < MIN_BLOCKS or abs(ratio) < self.bound(question):
            return SequentialVerdict.OPEN
        return SequentialVerdict.YES if ratio > 0 else SequentialVerdict.NO


def run_sequential_test(scores: Sequence[float], question: ComparisonQuestion) -> tuple[int, SequentialVerdict]:
    """Test scores in the order of their blocks, batch by batch; return how many were used and the verdict.

    If the verdict is open, the count is that of all whole batches.

    >>> run_sequential_test([1.0] * 20, ComparisonQuestion())
    (12, <SequentialVerdict.YES: 'yes'>)
    """
    total = squares = 0.0
    for count, score in enumerate(scores, 1):
        total, squares = total + score, squares + score * score
        if count % BATCH_BLOCKS == 0:
            verdict = ScoreSummary.from_sums(count, total, squares).verdict(question)
            if verdict is not SequentialVerdict.OPEN:
                return count, verdict
    return len(scores) - len(scores) % BATCH_BLOCKS, SequentialVerdict.OPEN
