"""A sum of normal steps that is looked at now and then until it is beyond one of two walls: how likely it ends where.

Worked out look by look on a grid (P. Armitage, C. K. McPherson and B. C. Rowe, JRSS A 132, 1969). It is done once, with
a drift near those that are asked for: without one, each place is exp((drift * place - drift^2 * time / 2) / variance)
times less likely, and numbers of a computer end somewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erfc, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

_MAX_EXPONENT: Final = 700.0
"""A computer's numbers end a little above e to this."""
Floats = NDArray[np.float64]
_GRID_POINTS: Final = 201
"""Of the grid."""
_GRID_DEVIATIONS: Final = 10.0
"""Standard deviations from where it usually is: it does not come there."""


@dataclass(frozen=True)
class BoundaryCrossing:
    """What one sees; the walls lie as far above 0 as below."""

    times: Sequence[int]
    """Of all looks, the last one too, in steps."""
    reaches: Sequence[float]
    """Of the walls at each of them but the last."""
    variance: float
    """Of a step."""
    usual: float = 0.0
    """The drift near those that are asked for."""

    def probability_above(self, drift: float, place: float) -> float:
        """Return how likely it is to have ended above before the last look, or to be above this place there."""
        before = (self._probability_over(index, drift, self.reaches[index]) for index in range(len(self.times) - 1))
        return min(1.0, sum(before) + self._probability_over(len(self.times) - 1, drift, place))

    @cached_property
    def _grids(self) -> list[Floats]:
        """By look: places between the walls, as far as it may come at all."""
        spans = [abs(self.usual) * time + _GRID_DEVIATIONS * sqrt(self.variance * time) for time in self.times]
        ends = [min(reach, span) for reach, span in zip(self.reaches, spans, strict=False)]
        return [end * np.linspace(-1.0, 1.0, _GRID_POINTS) for end in ends]

    @cached_property
    def _densities(self) -> list[Floats]:
        """By look but for the last one: where it is if it goes on, with the usual drift."""
        found: list[Floats] = []
        for index, time in enumerate(self.times[:-1]):
            grid = self._grids[index]
            if not index:
                found.append(_normal_density(grid - self.usual * time, self.variance * time))
                continue
            step = time - self.times[index - 1]
            moves = grid[:, None] - self._grids[index - 1][None, :] - self.usual * step
            ways = _normal_density(moves, self.variance * step)
            found.append(ways @ self._point_masses(index - 1, found[-1]))
        return found

    def _point_masses(self, index: int, density: Floats) -> Floats:
        """How likely it is to be about each place (the trapezoidal rule)."""
        chances: Floats = density * (self._grids[index][1] - self._grids[index][0])
        chances[[0, -1]] /= 2
        return chances

    @cached_property
    def _masses(self) -> list[Floats]:
        """By look: how likely it is to be about each place of its grid and to go on, with the usual drift."""
        return [self._point_masses(index, density) for index, density in enumerate(self._densities)]

    def _probability_over(self, index: int, drift: float, place: float) -> float:
        """Return how likely it is to come to this look and to be above a place there."""
        time = self.times[index]
        if not index:
            return _normal_tail((place - drift * time) / sqrt(self.variance * time))
        before, step = self.times[index - 1], time - self.times[index - 1]
        grid = self._grids[index - 1]
        more = drift - self.usual
        likelier = more * (grid - (drift + self.usual) * before / 2) / self.variance
        tilt = np.exp(np.minimum(likelier, _MAX_EXPONENT))  # so much likelier is only where it never comes
        far = (place - grid - drift * step) / sqrt(self.variance * step)
        return float(self._masses[index - 1] * tilt @ _normal_tails(far))


def _normal_density(places: Floats, variance: float) -> Floats:
    return np.exp(-(places**2) / (2 * variance)) / sqrt(2 * np.pi * variance)


def _normal_tail(deviations: float) -> float:
    """Return how likely a normal figure is so many standard deviations above its mean or more."""
    return erfc(deviations / sqrt(2)) / 2


def _normal_tails(deviations: Floats) -> Floats:
    """Return the same for many, to 1e-7 (M. Abramowitz and I. A. Stegun, Handbook, 1964, formula 26.2.17)."""
    size = np.abs(deviations)
    t = 1 / (1 + 0.2316419 * size)
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    upper = _normal_density(size, 1.0) * series
    return np.where(deviations < 0, 1 - upper, upper)
