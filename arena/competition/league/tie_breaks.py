"""Orders entrants that have equal scores.

The criteria, in order:

1. head-to-head: the share of meetings with the other tied entrants in which the entrant finished ahead;
2. more first places per game;
3. fewer strikes per game;
4. lots, drawn from the schedule's seed, as the last resort.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.lots import order_by_lots
from arena.competition.league.model import BlockResult
from arena.competition.league.points import Tally


class TieBreak(StrEnum):
    """The criteria, in order."""

    HEAD_TO_HEAD = "head-to-head"
    FIRST_PLACES = "first places"
    STRIKES = "fewer strikes"
    LOTS = "lots"


TieBreakKey = tuple[float, float, float, float]
"""An entrant's value for each criterion. Higher is better."""


def ranked_tie_break_keys(
    names: Collection[str], results: Sequence[BlockResult], counted: Mapping[str, Tally], seed: bytes
) -> dict[str, TieBreakKey]:
    """Return the key of each entrant, best first.

    An entrant that met none of the others has 0.5 for head-to-head, as if it had been ahead as often as behind.
    """
    order = order_by_lots(seed, "tie-break", names)
    meetings = HeadToHead.from_results(order, results)
    keys = {}
    for lot, name in enumerate(order):
        mean, tally = meetings.overall_share_ahead(lot), counted[name]
        games = max(1, tally.game_count)
        first_places, strikes = tally.first_places / games, tally.strikes.total() / games
        keys[name] = (0.5 if mean is None else round(mean, 9), first_places, -strikes, -lot)
    return dict(sorted(keys.items(), key=lambda item: item[1], reverse=True))


def deciding_criterion(key: TieBreakKey, other: TieBreakKey) -> TieBreak:
    """Return the first criterion by which two entrants differ."""
    pairs = zip(TieBreak, key, other, strict=True)
    return next(criterion for criterion, mine, its in pairs if mine != its)
