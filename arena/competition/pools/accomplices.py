"""Finds owners whose bots one bot leaves behind far more often than strengths explain.

Such an owner may be an accomplice. So the bot's rating is the lower of two: over all its games, and over those without
that owner's bots (`league/rating.py`). Nobody else's rating changes: otherwise a bot could be rid of games by losing
them. House bots are nobody's accomplices.

The test is that of `league/one_sided.py`, with Bonferroni's correction for those pairs that have enough games to be
significant at all (R. E. Tarone, Biometrics 46, 1990, p. 515).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.league.accomplices import Accomplices
from arena.competition.league.one_sided import count_meetings, judge_pairs
from arena.competition.league.plackett_luce import Fit, fit_model
from arena.competition.league.prior import add_prior
from arena.competition.league.rating import build_model
from arena.competition.pools.ports import SeasonBot
from arena.competition.pools.rated_shares import is_house, owner_of
from arena.competition.pools.season_results import SeasonResults

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

SIGNIFICANCE_LEVEL: Final = 0.05
"""Probability that a season has a flag although no owner helps another one. A wrong flag takes a little luck away."""


def find_accomplices(results: SeasonResults, bots: Mapping[str, SeasonBot]) -> Accomplices:
    """Return, for each version of a bot with accomplices, all versions of their bots."""
    names = sorted(results.programs)
    owners = [owner_of(results.programs[name][0], bots) for name in names]
    bot_numbers, owner_numbers = _number(results.programs[name][0] for name in names), _number(owners)
    owner_numbers[[is_house(results.programs[name][0], bots) for name in names]] = -1
    met = count_meetings(results.played, names, _fit(results, names), bot_numbers, owner_numbers)
    tested = judge_pairs(met)
    found: dict[str, frozenset[str]] = {}
    for pair in tested.pair[tested.p_value <= _corrected_level(tested.least)].tolist():
        helpers = frozenset(np.array(names)[owner_numbers == met.other[pair]].tolist())
        for name in np.array(names)[bot_numbers == met.entrant[pair]].tolist():
            found[name] = found.get(name, frozenset()) | helpers
    return found


def _number(keys: Iterable[Hashable]) -> Integers:
    """Return a number for each key, the same for equal keys."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _fit(results: SeasonResults, names: Sequence[str]) -> Fit:
    """Return the fit that ratings have, with terms in the order of the names."""
    alike = np.array([name in results.first_versions for name in names])
    model, shares = add_prior(
        build_model(results.blocks, names),
        np.array([each.share for each in results.blocks]),
        alike,
        np.ones(len(names), bool),
    )
    return fit_model(model, shares)


def _corrected_level(least: Floats) -> float:
    """Return the level of each test, from the smallest probability that each can find (Tarone)."""
    counts = np.arange(1, len(least) + 1)
    are_enough = np.searchsorted(np.sort(least), SIGNIFICANCE_LEVEL / counts, side="right") <= counts
    return float(SIGNIFICANCE_LEVEL / counts[are_enough.argmax()]) if len(least) else 0.0
