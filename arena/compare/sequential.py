"""The test: after each batch of blocks yes, no, or go on, with as few blocks as the allowed errors need.

A block's score is how many places a game the candidate finishes above the baseline, in the mean of one deal. Two values
of its expectation, `low` and `high`, are held against each other by a generalised sequential probability ratio test for
scores of unknown variance,

    ratio = (n - 8) * (high - low) * lead / variance,   lead = mean - (low + high) / 2,   variance divided by n,

as chess engines are compared (fishtest, `LLRcalc.py`; fastchess, `sprt.cpp`). It says yes when the ratio reaches
ln((1 - error) / error), no at its negative (A. Wald, Annals of Mathematical Statistics 16, 1945, section 3). The 8
makes up for a test that stops where the variance happens to look small; `make compare-statistics` shows what errors
come of it. One looks after whole batches only, when a bound is passed by some way already: so the bounds lie nearer by
0.583 standard deviations of what a batch adds (D. Siegmund, Sequential Analysis, 1985, section X.2).

Scores that are all alike are no proof that they stay so: the variance counts for no less than `min_variance`.

Whether both are the same is two such tests at once, with half the error each: it is, when both say at one look that
neither is better than the other one; it is not, when one says that either is. Only who leads has to be looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum, log, sqrt
from typing import Final

OVERSHOOT: Final = 0.583
"""Of a random walk with normal steps over a bound, in standard deviations of a step."""
BATCH_BLOCKS: Final = 4
"""Blocks between two looks."""
UNCOUNTED_BLOCKS: Final = 8
"""So many blocks are not counted in the ratio."""
MIN_BLOCKS: Final = 12
"""No verdict before: of fewer the variance is not known well enough."""


class SequentialVerdict(StrEnum):
    """What the blocks so far say."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class ComparisonMode(StrEnum):
    """What is asked."""

    BETTER = "better"
    """Whether the candidate is better: no effect against the margin."""
    NOT_WORSE = "not-worse"
    """Whether it is not worse: the margin below against no effect."""
    SAME = "same"
    """Whether neither is better: no effect against the margin to either side."""


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """What is to be found out."""

    mode: ComparisonMode = ComparisonMode.BETTER
    margin: float = 0.2
    """Places a game, above 0."""
    error: float = 0.05
    """Of either kind, above 0 and below a half: a yes where no would be right, a no where yes would be."""
    seats: int = 4
    """Of a table: a score is no farther from 0 than one less."""

    @property
    def low(self) -> float:
        """Places a game of the worse one of the two that are held against each other."""
        return -self.margin if self.mode is ComparisonMode.NOT_WORSE else 0.0

    @property
    def high(self) -> float:
        """Places a game of the better one."""
        return self.low + self.margin

    @property
    def middle(self) -> float:
        """Places a game with which both are as likely."""
        return self.low + self.margin / 2

    @property
    def bound(self) -> float:
        """The ratio, a logarithm, that is enough where one looks all the time; its negative on the other side."""
        error = self.error / 2 if self.mode is ComparisonMode.SAME else self.error
        return log((1 - error) / error)

    @property
    def min_variance(self) -> float:
        """What scores vary at least, whatever was seen: as they do where rare games make the difference.

        Somebody who plays like the other one but loses a game in full now and then, so that it comes to the margin, has
        scores of -(seats - 1) / seats and else 0: a variance of margin * (seats - 1) / seats. Before the first of these
        games all scores are the same.
        """
        return self.margin * (self.seats - 1) / self.seats

    def lead(self, mean: float) -> float:
        """Say by how many places a game a mean speaks for yes; below 0: for no."""
        return self.middle - abs(mean) if self.mode is ComparisonMode.SAME else mean - self.middle


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """What scores of blocks come to."""

    count: int
    mean: float
    variance: float
    """As it was seen, divided by the count."""

    @classmethod
    def from_scores(cls, scores: Sequence[float]) -> "ScoreSummary":
        """Sum up scores, of one block at least."""
        return cls.from_sums(len(scores), fsum(scores), fsum(score * score for score in scores))

    @classmethod
    def from_sums(cls, count: int, total: float, squares: float) -> "ScoreSummary":
        """Take what so many scores and their squares come to."""
        mean = total / count
        return cls(count, mean, max(0.0, squares / count - mean * mean))

    def effective_variance(self, question: ComparisonQuestion) -> float:
        """Return the variance that is reckoned with: no less than is thought possible."""
        return max(self.variance, question.min_variance)

    def log_likelihood_ratio(self, question: ComparisonQuestion) -> float:
        """Return the logarithm of the likelihoods' ratio, above 0 for yes."""
        counted = max(0, self.count - UNCOUNTED_BLOCKS)
        return counted * question.margin * question.lead(self.mean) / self.effective_variance(question)

    def bound(self, question: ComparisonQuestion) -> float:
        """Return the ratio at which one stops, as one looks after whole batches alone."""
        step = question.margin * sqrt(BATCH_BLOCKS / self.effective_variance(question))
        return max(question.bound - OVERSHOOT * step, question.bound / 2)

    def stopping_sum(self, question: ComparisonQuestion, count: int) -> float:
        """Return the sum of so many scores, less the middle each, at which one stops if they spread as these do."""
        return (
            self.bound(question)
            * self.effective_variance(question)
            / question.margin
            * count
            / (count - UNCOUNTED_BLOCKS)
        )

    def verdict(self, question: ComparisonQuestion) -> SequentialVerdict:
        """Say what these blocks, whole batches of them, show."""
        ratio = self.log_likelihood_ratio(question)
        if self.count < MIN_BLOCKS or abs(ratio) < self.bound(question):
            return SequentialVerdict.OPEN
        return SequentialVerdict.YES if ratio > 0 else SequentialVerdict.NO


def run_sequential_test(scores: Sequence[float], question: ComparisonQuestion) -> tuple[int, SequentialVerdict]:
    """Go through scores in the order of their blocks, batch by batch; tell after how many of them it was decided how.

    Open: the count is that of whole batches.

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
