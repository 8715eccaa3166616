"""Computes where a random walk ends. The walk stops at the first look that finds it beyond one of two boundaries.

A *look* compares the walk with the boundaries after a given number of steps. The probabilities are computed look by
look on a grid (P. Armitage, C. K. McPherson and B. C. Rowe, JRSS A 132, 1969). The grid is computed once, for a drift
near the requested ones. For a requested drift, each place on the grid has the weight w(requested drift) / w(grid's
drift), with

    w(drift) = exp((drift * place - drift^2 * time / 2) / variance).

If the grid were computed without a drift, these weights would overflow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erfc, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

_MAX_EXPONENT: Final = 700.0
"""exp of anything larger overflows a double."""
Floats = NDArray[np.float64]
_GRID_POINTS: Final = 201
_GRID_DEVIATIONS: Final = 10.0
"""Half the width of the grid, in standard deviations. It is practically impossible that the walk gets farther."""


@dataclass(frozen=True)
class BoundaryCrossing:
    """A walk with normal steps and its looks. The boundaries are symmetric about 0."""

    times: Sequence[int]
    """Number of steps before each look, ascending, including the last look."""
    reaches: Sequence[float]
    """Distance of the boundaries from 0 at each look except the last."""
    variance: float
    usual: float = 0.0
    """Drift for which the grid is computed. It should be near the drifts passed to `probability_above`."""

    def probability_above(self, drift: float, place: float) -> float:
        """Return the probability that the walk stops at the upper boundary, or is above `place` at the last look."""
        before = (self._probability_over(index, drift, self.reaches[index]) for index in range(len(self.times) - 1))
        return min(1.0, sum(before) + self._probability_over(len(self.times) - 1, drift, place))

    @cached_property
    def _grids(self) -> list[Floats]:
        """Return the grid of each look except the last: places between the boundaries that the walk can reach."""
        spans = [abs(self.usual) * time + _GRID_DEVIATIONS * sqrt(self.variance * time) for time in self.times]
        ends = [min(reach, span) for reach, span in zip(self.reaches, spans, strict=False)]
        return [end * np.linspace(-1.0, 1.0, _GRID_POINTS) for end in ends]

    @cached_property
    def _densities(self) -> list[Floats]:
        """Return, for each look except the last, the density of the walks that have not crossed a boundary."""
        densities: list[Floats] = []
        for index, time in enumerate(self.times[:-1]):
            grid = self._grids[index]
            if not index:
                densities.append(_normal_density(grid - self.usual * time, self.variance * time))
                continue
            step = time - self.times[index - 1]
            moves = grid[:, None] - self._grids[index - 1][None, :] - self.usual * step
            ways = _normal_density(moves, self.variance * step)
            densities.append(ways @ self._point_masses(index - 1, densities[-1]))
        return densities

    def _point_masses(self, index: int, density: Floats) -> Floats:
        """Return the probability of each grid place by the trapezoidal rule."""
        chances: Floats = density * (self._grids[index][1] - self._grids[index][0])
        chances[[0, -1]] /= 2
        return chances

    @cached_property
    def _masses(self) -> list[Floats]:
        """Return, for each look but the last, the probability of each place for walks still inside the boundaries."""
        return [self._point_masses(index, density) for index, density in enumerate(self._densities)]

    def _probability_over(self, index: int, drift: float, place: float) -> float:
        """Return the probability that the walk reaches a look without crossing a boundary, and is above `place`."""
        time = self.times[index]
        if not index:
            return _normal_tail((place - drift * time) / sqrt(self.variance * time))
        before, step = self.times[index - 1], time - self.times[index - 1]
        grid = self._grids[index - 1]
        more = drift - self.usual
        likelier = more * (grid - (drift + self.usual) * before / 2) / self.variance
        tilt = np.exp(np.minimum(likelier, _MAX_EXPONENT))  # only unreachable places are clipped
        far = (place - grid - drift * step) / sqrt(self.variance * step)
        return float(self._masses[index - 1] * tilt @ _normal_tails(far))


def _normal_density(places: Floats, variance: float) -> Floats:
    return np.exp(-(places**2) / (2 * variance)) / sqrt(2 * np.pi * variance)


def _normal_tail(deviations: float) -> float:
    """Return the probability that a normal variable exceeds its mean by `deviations` standard deviations."""
    return erfc(deviations / sqrt(2)) / 2


def _normal_tails(deviations: Floats) -> Floats:
    """Return `_normal_tail` of each element. Numpy has no complementary error function."""
    return np.fromiter(map(erfc, (deviations / sqrt(2)).tolist()), np.float64, len(deviations)) / 2
