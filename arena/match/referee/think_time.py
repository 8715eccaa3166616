"""How long a bot thought, from the figures of a match.

`decisions` and `think_s` of a match cover accepted answers only. Late answers are refused, but they took the bot's time
too. `late_answers` and `late_think_s` record them apart, so that the figures of earlier releases keep their meaning. A
match without late answers has neither.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

LATE_ANSWERS: Final = "late_answers"
"""The number of answers that came after their deadline."""
LATE_THINK_S: Final = "late_think_s"
"""The mean time from a prompt to such an answer, in seconds."""


class ThinkTime(NamedTuple):
    """The time that a bot took for all its answers, accepted or late."""

    sum_s: float
    answer_count: float


def read_think_time(figures: Mapping[str, float]) -> ThinkTime:
    """Return the think time in one entrant's figures of a match.

    >>> read_think_time({"decisions": 3, "think_s": 1.0, "late_answers": 1, "late_think_s": 5.0})
    ThinkTime(sum_s=8.0, answer_count=4)
    """
    decisions, late = figures.get("decisions", 0), figures.get(LATE_ANSWERS, 0)
    sum_s = figures.get("think_s", 0.0) * decisions + figures.get(LATE_THINK_S, 0.0) * late
    return ThinkTime(sum_s, decisions + late)


def late_figures(count: int, us: int) -> dict[str, float]:
    """Return the figures of late answers that took `us` microseconds in all; empty if there are none."""
    return {LATE_ANSWERS: count, LATE_THINK_S: us / 1e6 / count} if count else {}
