"""Finds doubts: pairs whose games may have been help, which the title does without.

A flag of `accomplice_screen.py` hardly ever names an honest pair. So an accomplice is flagged only if it helps nearly
always and is seen often. A title needs less: that its holder leads without this help too. So for the title alone there
are doubts at a lower level, about an entrant beside which another one

* came last more often than its strength explains (`accomplice_screen.py`), or
* was left behind by it more often than the strengths of both explain (`one_sided.py`), as it is if it passes its place.

The entrant's figure is then the lower of those with and without the games of the two, for contenders, play-off and
champion. Scores and ratings of the standings stay as they are: without games beside a bot that it suits, an honest
entrant's score would be biased, and intervals would hold the truth less often.

A doubt proves nothing. `DOUBT_LEVEL` is the probability that an honest entrant has one of either kind. In 300 leagues
of each kind, 2 to 12 % had one, and 24 % where threes of bots play rock, paper and scissors with odds of 11 to 1 (`make
accomplice-statistics`). In 400 leagues of `make champion-statistics`, doubts cost the best bot the title in 9, and won
it in 5. At half the level, the third best of twelve would lead twice as often with a friend that always passes its
place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.accomplices import Accomplices
from arena.competition.league.model import BlockResult
from arena.competition.league.one_sided import count_meetings, judge_pairs
from arena.competition.league.plackett_luce import fit_model
from arena.competition.league.prior import add_prior
from arena.competition.league.rating import build_model

DOUBT_LEVEL: Final = 0.15
"""Probability that an honest entrant has a doubt of one kind; each of its opponents has an equal part of it."""


class Sign(StrEnum):
    """What the other one of a pair did more often than strengths explain."""

    LAST = "came last"
    BEHIND = "finished behind"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pair whose games may have been help."""

    entrant: str
    """Who may have been helped."""
    other: str
    sign: Sign
    games: int
    """Number of games of the two together; for `BEHIND` without those in which they shared a place."""
    count: int
    """In how many of them the sign was seen."""
    expected: float
    """In how many it would have been seen under the null hypothesis."""
    p_corrected: float
    """Probability that any pair of an honest entrant shows the sign as often, by Bonferroni's correction."""


def find_doubts(results: Sequence[BlockResult]) -> tuple[Doubt, ...]:
    """Return the doubts in the results of a league, by name."""
    names = sorted({name for result in results for name in result.block.names})
    found = [*_find_last(names, results), *_find_behind(names, results)] if names else []
    return tuple(sorted(found, key=lambda each: (each.entrant, each.other, each.sign)))


def add_doubts(accomplices: Accomplices, doubts: Sequence[Doubt]) -> Accomplices:
    """Return the accomplices with the others of the doubts."""
    found = dict(accomplices)
    for doubt in doubts:
        found[doubt.entrant] = found.get(doubt.entrant, frozenset()) | {doubt.other}
    return found


def _find_last(names: Sequence[str], results: Sequence[BlockResult]) -> Iterator[Doubt]:
    """Yield who came last beside whom. The screen corrects for the pairs of all entrants."""
    for flag in screen_for_accomplices(results, DOUBT_LEVEL * len(names)):
        p_corrected = flag.p_corrected / len(names)
        yield Doubt(flag.other, flag.entrant, Sign.LAST, flag.games, flag.last_places, flag.expected, p_corrected)


def _find_behind(names: Sequence[str], results: Sequence[BlockResult]) -> Iterator[Doubt]:
    """Yield who left whom behind."""
    numbers, everybody = np.arange(len(names)), np.ones(len(names), dtype=bool)
    fit = fit_model(*add_prior(build_model(results, names), np.ones(len(results)), everybody, everybody))
    met = count_meetings(results, names, fit, numbers, numbers)
    tested = judge_pairs(met)
    entrants = met.entrant[tested.pair]
    p_corrected = tested.p_value * np.bincount(entrants, minlength=len(names))[entrants]
    for row in np.flatnonzero(p_corrected < DOUBT_LEVEL).tolist():
        pair = tested.pair[row]
        one, other = names[entrants[row]], names[met.other[pair]]
        games, ahead, expected = int(met.games[pair]), int(met.ahead[pair]), float(tested.expected[row])
        yield Doubt(one, other, Sign.BEHIND, games, ahead, expected, float(p_corrected[row]))
