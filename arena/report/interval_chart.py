"""Estimates with their intervals as marks on one scale, a row each: the picture within a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from arena.report.scale import Scale, padded_range, tick_values

WIDTH: Final = 260
_EDGE: Final = 14
"""Room for half a tick's label."""


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """One row: places from 0 to WIDTH."""

    at: float
    low: float
    high: float
    path: str
    """The marks at the ends of its interval, as SVG writes them; an end that is open has none."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on a scale and what is written there."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """All rows of a table."""

    marks: Sequence[IntervalMark | None]
    """None: nothing is known of this row."""
    ticks: Sequence[Tick]
    middle: float | None
    """Where the value lies that means neither good nor bad; None: out of the picture."""


Estimate = tuple[float | None, float | None, float | None]
"""Value, and the ends of its interval."""


def build_interval_chart(estimates: Sequence[Estimate], neutral: float) -> IntervalChart:
    """Put estimates on the scale that holds all of them; an end that there is not lies at the edge, without a mark."""
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
