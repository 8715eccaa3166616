"""The scale of all ratings, which is Elo's: 400 points are ten times the odds. Loads no NumPy, unlike `rating`."""

from math import log
from typing import Final

MEAN_RATING: Final = 1500
POINTS_PER_THETA: Final = 400 / log(10)
