"""Scales: linear maps from values to coordinates, and round tick values."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between `low` and `high` to coordinates between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value, rounded to a tenth. A value outside the range is put on the edge."""
        inside = min(self.high, max(self.low, value))  # this order puts NaN on the edge too
        share = (inside - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


def padded_range(values: Iterable[float | None], margin: float = 0.04) -> tuple[float, float]:
    """Return a range that includes all values, with some room at both ends. Without values, the range is 0 to 1.

    >>> padded_range([2.0, None, 12.0], margin=0.1)
    (1.0, 13.0)
    """
    known = [value for value in values if value is not None and isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    room = (high - low) * margin or abs(high) * margin or 1.0
    return low - room, high + room


def tick_values(low: float, high: float, count: int = 4) -> list[float]:
    """Return about `count` round numbers within a range.

    >>> tick_values(0, 1), tick_values(1381, 1622, 3)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1400.0, 1500.0, 1600.0])
    """
    if not high > low:
        return [low]
    raw = (high - low) / count
    power: float = 10.0 ** floor(log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if raw <= size * power * 1.25)
    return [round(step * index, 10) for index in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
