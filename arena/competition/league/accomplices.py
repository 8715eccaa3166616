"""Leaves out what accomplices give: the games of an entrant beside those that are flagged for coming last there.

`accomplice_screen.py` flags pairs. The figure of the other one, its score or its rating, is then the lower of two: over
all its games, and over those without a flagged accomplice at the table. Nobody else's figure changes. If these games
counted for nobody, a bot could come last beside a strong one in order to be rid of them.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import BlockResult, TableResult

Accomplices = Mapping[str, frozenset[str]]
"""Who is flagged for coming last beside an entrant, by that entrant's name."""
NO_ACCOMPLICES: Final[Accomplices] = {}


def find_accomplices(results: Sequence[BlockResult], judgement: Judgement) -> Accomplices:
    """Return the accomplices whose help is left out."""
    found: dict[str, frozenset[str]] = {}
    for flag in screen_for_accomplices(results) if judgement.leaves_out_help else ():
        found[flag.other] = found.get(flag.other, frozenset()) | {flag.entrant}
    return found


def leave_out_help(
    scores: Sequence[Mapping[str, float]], results: Sequence[BlockResult], accomplices: Accomplices
) -> Sequence[Mapping[str, float]]:
    """Return the scores of each block. Those beside accomplices are left out if this lowers an entrant's mean."""
    if not accomplices:
        return scores
    kept = [dict(block) for block in scores]
    for name, helpers in accomplices.items():
        own = {number: block[name] for number, block in enumerate(scores) if name in block}
        helped = {number for number in own if any(_is_helped(name, helpers, each) for each in results[number].tables)}
        alone = [score for number, score in own.items() if number not in helped]
        if alone and fmean(alone) < fmean(own.values()):
            for number in helped:
                del kept[number][name]
    return kept


def _is_helped(name: str, helpers: frozenset[str], table: TableResult) -> bool:
    return name in table.seats and not helpers.isdisjoint(table.seats)
