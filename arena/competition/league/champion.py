"""Finds who leads or has won a league, and why: by a clear lead, by its score, by a tie-break or by a play-off.

The champion is the entrant with the highest score: the first of the standings, unless doubts lower its score
(`doubts.py`). Two scores are separable if the interval of their difference excludes 0. The lead is clear if the highest
score is separable from all others. Otherwise the *contenders* are the leader and all entrants that are not separable
from the leader. Tie-breaks decide only between equal scores. If there is a play-off, it names the champion among the
contenders (`playing_on.py`). Leagues that were sealed before play-offs had rounds keep the old rule: the points of the
play-off alone decide, then the tie-breaks.

The *certainty* says how sure the champion is: the probability that it is the best (`certainty.py`).

An entrant with less than half the median number of games cannot be champion, even if it is first in the standings, nor
can one that was withdrawn.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Literal

from arena.competition.league.certainty import probability_best
from arena.competition.league.model import BlockResult
from arena.competition.league.playing_on import rank_contenders
from arena.competition.league.points import Tally, block_scores
from arena.competition.league.standings_inputs import PlayOffTerms, StandingsInputs
from arena.competition.league.tie_breaks import TieBreak

ChampionReason = TieBreak | Literal["clear lead", "score", "play-off", "bracket"]


@dataclass(frozen=True, slots=True)
class Champion:
    """The champion or current leader, and why."""

    name: str
    by: ChampionReason
    contenders: tuple[str, ...]
    """The entrants among whom the champion was found, in the order of the standings. A clear lead leaves only the
    champion."""
    certainty: float | None = None
    """The probability that the champion is the best of all entrants with enough games, 0 to 1, from the bootstrap's
    draws. In a play-off: the best of those that were in its last round. None if nothing is known about it: in a
    bracket, in an old play-off, or if some figures are not comparable."""
    remaining: tuple[str, ...] = ()
    """The contenders that are still in the play-off, best first; empty if no round of a play-off is finished."""
    withdrawn: tuple[str, ...] = ()
    """The withdrawn entrants that are higher in the standings, best first."""
    doubted: tuple[str, ...] = ()
    """Those whose score is lower for the title, of the champion and the entrants that are higher in the standings."""


def find_champion(order: Sequence[str], evidence: StandingsInputs, withdrawn: Collection[str]) -> Champion | None:
    """Return the leader among the names in `order`, which are best first, or None if none of them has played.

    The withdrawn entrants among them cannot be the leader.
    """
    leader = _find_leader([name for name in order if name not in withdrawn], evidence)
    if leader is None:
        return None
    above = order[: order.index(leader.name)]
    return replace(leader, withdrawn=tuple(name for name in above if name in withdrawn))


def _find_leader(order: Sequence[str], evidence: StandingsInputs) -> Champion | None:
    eligible = _with_enough_games(order, evidence.counted)
    if not eligible:
        return None
    terms = evidence.terms
    finalists = [name for name in order if name in terms.contenders] if terms and evidence.play_off else []
    if terms and finalists and terms.rounds is not None:
        return _champion_of_play_off(finalists, evidence, terms)
    if finalists:
        best = _best_in_play_off(finalists, evidence.play_off)
        name, by = _first_of_equals(best, evidence, "play-off")
        return Champion(name, by, tuple(finalists))
    measure = evidence.measure
    contenders = [name for name in eligible if not measure.are_separable(eligible[0], name)]
    equals = [name for name in contenders if measure.rank_key(name) == measure.rank_key(eligible[0])]
    name, by = _first_of_equals(equals, evidence, "score" if len(contenders) > 1 else "clear lead")
    return Champion(name, by, tuple(contenders), probability_best(name, eligible, measure))


def _champion_of_play_off(present: Sequence[str], evidence: StandingsInputs, terms: PlayOffTerms) -> Champion:
    """Return who leads or has won a play-off. `present` are its contenders, except those disqualified since."""
    found = rank_contenders(terms, evidence)
    name = next(each for each in found.order if each in present)
    remaining = tuple(each for each in found.remaining if each in present)
    certainty = found.certainty if name == found.order[0] else None
    return Champion(name, "play-off", tuple(present), certainty, remaining or (name,))


def _first_of_equals(
    names: Sequence[str], evidence: StandingsInputs, by: Literal["clear lead", "score", "play-off"]
) -> tuple[str, ChampionReason]:
    """Return the first of entrants with equal figures, and the tie-break that decides, or `by` if there is only one."""
    ranked, reasons = evidence.break_ties(names)
    return ranked[0], reasons[0] if reasons else by


def _best_in_play_off(names: Sequence[str], play_off: Sequence[BlockResult]) -> list[str]:
    """Return the entrants with the most points per game in the play-off. Before its first game, return all."""
    points = defaultdict[str, list[float]](list)
    for result in play_off:
        for name, score in block_scores(result).items():
            points[name].append(score.points)
    means = {name: round(fmean(points[name]), 9) for name in names if name in points}
    best = max(means.values(), default=None)
    return [name for name in names if means.get(name) == best]


def _with_enough_games(order: Sequence[str], counted: Mapping[str, Tally]) -> list[str]:
    """Return the entrants that may be champion: those with at least half the median number of games."""
    games = {name: counted[name].game_count for name in order if counted[name].game_count}
    return [name for name in games if games[name] >= median(games.values()) / 2]
