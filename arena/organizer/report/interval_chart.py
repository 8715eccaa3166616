"""Interval charts: estimates and their intervals as marks on one scale, one mark in each row of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from arena.organizer.report.scale import Scale, padded_range, tick_values

WIDTH: Final = 260
_EDGE: Final = 14
"""Room for half a tick label."""


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """The mark of one row. Coordinates run from 0 to WIDTH."""

    at: float
    low: float
    high: float
    path: str
    """An SVG path with a stroke at each end of the interval. An open end has no stroke."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on a scale and the value that is written there."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """The marks of all rows of a table, with their scale."""

    marks: Sequence[IntervalMark | None]
    """A mark for each row, or None if the row has no estimate."""
    ticks: Sequence[Tick]
    middle: float | None
    """The position of the neutral value; None if it is outside the chart."""


Estimate = tuple[float | None, float | None, float | None]
"""A value and the two ends of its interval. None is an unknown value or an open end."""


def build_interval_chart(estimates: Sequence[Estimate], neutral: float) -> IntervalChart:
    """Return a chart of the estimates, with a scale that has room for all of them.

    An interval with an open end reaches the edge of the chart.
    """
    low, high = padded_range(value for estimate in estimates for value in estimate)
    scale = Scale(low, high, _EDGE, WIDTH - _EDGE)
    return IntervalChart(
        [_mark(estimate, scale) for estimate in estimates],
        [Tick(scale(value), value) for value in tick_values(low, high)],
        scale(neutral) if low <= neutral <= high else None,
    )


def _mark(estimate: Estimate, scale: Scale) -> IntervalMark | None:
    value, low, high = estimate
    if value is None:
        return None
    ends = "".join(f"M{scale(end):g} 11V19" for end in (low, high) if end is not None)
    return IntervalMark(scale(value), scale(-inf if low is None else low), scale(inf if high is None else high), ends)
