"""Measures the quality of a dealt hand, relative to the mean of the hands of its deal. Each game has its own measure.

These measures were fixed before anybody looked at results, so that nobody could choose measures that fit the results. A
measure may only change for reasons that have nothing to do with who won.
"""

from collections.abc import Sequence


def above_mean(values: Sequence[float]) -> list[float]:
    """Return how much each value exceeds the mean of all."""
    mean = sum(values) / len(values)
    return [value - mean for value in values]
