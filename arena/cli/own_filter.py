"""Filters the matches of an author's own bot. A server says less about them than a data folder does."""

from typing import Final

from arena.replays.library.match_filter import MatchFilter
from cheatarena.author import OwnMatch, OwnResult

_ROUNDING: Final = 1e-9


def accepts_own_match(match: OwnMatch, wanted: MatchFilter) -> bool:
    """Return whether a match fits a filter. Losses and faults are those of the own bot; the entrant may be another."""
    if not wanted.accepts_preset(match.preset) or not wanted.accepts_time(match.created_at.timestamp()):
        return False
    if not any(wanted.accepts_name(name) for name in match.entrants):
        return False
    has_lost = any(_has_lost(result, len(match.entrants)) for result in match.results)
    has_strike = any(any(result.strikes.values()) for result in match.results)
    return (has_lost or not wanted.is_lost) and (has_strike or not wanted.has_faults)


def _has_lost(result: OwnResult, entrants: int) -> bool:
    """Return whether the bot came last in a finished game.

    A server gives only the bot's own places. So a shared last place can be recognized only in a match of one game: the
    bot's points are then no more than it would get by a tie with every entrant that is not ahead.
    """
    if entrants in result.places:
        return True
    if len(result.places) != 1:
        return False
    place = result.places[0]
    return place > 1 and result.points * (entrants - 1) <= (entrants - place) / 2 + _ROUNDING
