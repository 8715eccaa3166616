"""What is known of entrants before their first games: that their strengths are alike, and how alike the games show.

Without a prior, ten games say too much: their fit is worse than to say of all entrants that they are equal. So each
entrant has made-up games against the ghost (`plackett_luce.py`), w won and w lost. This is the prior under which the
chance to finish ahead of the ghost has the distribution Beta(w, w). Its log odds have a variance of about 2 / w + 1 /
w², and longer tails than a normal distribution, so it pulls less at an entrant that differs much.

w follows from the games (empirical Bayes; B. Efron and C. Morris, JASA 70, 1975). The variance v of the strengths is
the mean of theta² + the variance of theta in the fit, which depends on v itself: a series of fits leads there (the EM
algorithm, with Laplace's approximation). A few made-up entrants of the variance 1 keep it from 0 among few entrants.
The prior has twice this variance. That costs little where strengths are alike, and the intervals of those far from the
rest still hold their strength.

In the bootstrap, the made-up games have random weights like played ones. So draws of an entrant without games spread
like the prior.
"""

from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.estimates import Floats
from arena.competition.league.plackett_luce import PlackettLuceModel, fit_model

MADE_UP_ENTRANTS: Final = 4
"""Entrants of the variance 1 that count in the estimate of the variance."""
WIDENING: Final = 2.0
"""The variance of the prior, by that of the strengths."""
_MAX_FITS: Final = 30
_TOLERANCE: Final = 1e-3
"""Tolerance of theta in the fits that lead to the prior."""
_SMALL_CHANGE: Final = 0.01
"""The series of fits ends when the variance changes by less than this share of it."""

Mask = NDArray[np.bool_]


def add_prior(model: PlackettLuceModel, shares: Floats, alike: Mask, played: Mask) -> tuple[PlackettLuceModel, Floats]:
    """Return a model with a prior, and for how many games each of its weights stands.

    `shares` says for how many games each block stands. `alike` marks the entrants whose strengths are alike, `played`
    those that have played. Entrants that are not alike have made-up games against others among the blocks.
    """
    model, is_made_up = replace(model, ghost_weight=1.0), alike | ~played
    (known,) = np.nonzero(alike & played)
    variance = 1.0
    for _ in range(_MAX_FITS):
        fit = fit_model(model, _weigh(shares, is_made_up, variance), tolerance=_TOLERANCE)
        squares = fit.terms[known] ** 2 + fit.inverse.diagonal()[known]
        before, variance = variance, float(squares.sum() + MADE_UP_ENTRANTS) / (len(known) + MADE_UP_ENTRANTS)
        if abs(variance - before) < _SMALL_CHANGE * before:
            break
    return model, _weigh(shares, is_made_up, WIDENING * variance)


def _weigh(shares: Floats, has_ghost_games: Mask, variance: float) -> Floats:
    """Return the weights of blocks, of wins and of defeats against the ghost. `variance` is that of the prior."""
    games = (1 + sqrt(1 + variance)) / variance
    ghosts = np.where(has_ghost_games, games, 0.0)
    return np.concatenate([shares, ghosts, ghosts])
