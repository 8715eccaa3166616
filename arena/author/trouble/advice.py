"""Says in one sentence what a phase means for the author of the bot."""

from typing import Final

from arena.author.trouble.costs import Cost
from arena.author.trouble.phases import PATIENCE_S, PhaseResult
from arena.author.trouble.trouble import Trouble
from arena.match.referee.pace import Pace
from arena.plurals import format_count

_SLOW_SHARE: Final = 0.5
"""A decision that takes more than this share of its time limit counts as slow."""
_WORSE_PLACES: Final = 0.5
"""How many places worse a mean place has to be to deserve a sentence."""

_WHEN_AWAY: Final = {
    Trouble.DROPS: "dial again at once when a connection is lost, with the same instance, and resume the seats",
    Trouble.TLS: "after one Welcome, dial again whatever fails, also a TLS handshake that is cut or gets no answer",
    Trouble.RESTARTS: "start faster, and resume the seats that Welcome lists, from a snapshot",
    Trouble.SERVER: "dial again after SHUTTING_DOWN or a lost connection, and resume the seats that Welcome lists",
}


def advise(result: PhaseResult, quiet: Cost, pace: Pace) -> str:
    """Return what the author should do about one phase. `quiet` is the cost of the phase without trouble."""
    cost = result.cost
    if result.trouble is not Trouble.QUIET and not sum(result.counts.values()):
        return "it did not happen, because the games were too short: play more games"
    if result.end:
        return f"it {result.end} and lost its seat: keep running, and {_when_away(result.trouble)}"
    if cost.longest_away_s > PATIENCE_S:
        return f"it was away for {cost.longest_away_s:.1f} s at a time: {_when_away(result.trouble)}"
    if cost.own_strike_count:
        strikes = format_count(cost.own_strike_count, "fault")
        return f"it had {strikes} of its own while connected: read them below, and mend them first"
    if cost.strike_count:
        strikes = format_count(cost.strike_count, "fault")
        return f"{strikes} came from the trouble itself: less time per decision and a faster return avoid some of them"
    return _advise_faultless(result, quiet, pace)


def _advise_faultless(result: PhaseResult, quiet: Cost, pace: Pace) -> str:
    cost = result.cost
    slow_s, limit_s = cost.decision_quantile_s(0.99), pace.turn_ms / 1000
    if slow_s is not None and slow_s > _SLOW_SHARE * limit_s:
        return f"1 % of its decisions took more than {slow_s:.1f} s of {limit_s:g} s: decide faster, or it is late soon"
    if result.trouble in _WHEN_AWAY and _is_worse(cost, quiet):
        return "no fault, but worse places: luck with few games, and with many a sign that it forgets what it knew"
    return "nothing to do"


def _when_away(trouble: Trouble) -> str:
    return _WHEN_AWAY.get(trouble, "dial again when a connection is lost, and resume the seats")


def _is_worse(cost: Cost, quiet: Cost) -> bool:
    place, before = cost.mean_place, quiet.mean_place
    return place is not None and before is not None and place - before >= _WORSE_PLACES
