"""Finds what a comparison of blocks that hardly vary cannot exclude: rare blocks that are far off.

Blocks that hardly vary decide early, so a blow that falls in few of them may not have fallen yet. n blocks show none,
with a chance of `error`, if it falls in a share of 1 - error ** (1 / n) of all blocks. So often, it needs a certain
size to move the candidate to the wrong end of the question. If no score is as far off as that, nothing is hidden.
"""

from dataclasses import dataclass

from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary


@dataclass(frozen=True, slots=True)
class UnseenBlow:
    """Rare blocks that may not have been seen, and with which the answer would be wrong."""

    share: float
    """The share of all blocks, above 0 and below 1, that the comparison misses with a chance of `own_error`."""
    places: float
    """By how many places a game the candidate is better in them than in the others; below 0 if it is worse."""


def find_unseen_blow(evidence: ScoreSummary, question: ComparisonQuestion) -> UnseenBlow | None:
    """Return the rare blocks that the evidence cannot exclude; None if blocks vary enough, or none can be so far off.

    >>> unseen = find_unseen_blow(ScoreSummary(32, 0.0, 0.0), ComparisonQuestion(ComparisonMode.NOT_WORSE))
    >>> unseen and (round(unseen.share, 3), round(unseen.places, 2))
    (0.089, -2.24)
    """
    if evidence.variance >= question.min_variance:
        return None
    share = 1 - question.own_error ** (1 / evidence.count)
    lead = question.lead(evidence.mean)
    places = (abs(lead) + question.margin / 2) / share
    is_upward = (lead > 0) == (evidence.mean > 0) if question.mode is ComparisonMode.SAME else lead < 0
    blow = places if is_upward else -places
    return UnseenBlow(share, blow) if abs(evidence.mean + blow) <= question.seats - 1 else None
