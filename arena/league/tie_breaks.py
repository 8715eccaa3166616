"""Who is ahead where scores do not tell.

Criteria are asked one after the other:

1. head-to-head: how often it came in ahead of the others concerned, at the tables that it shared with them;
2. first places, by game;
3. fewer strikes, by game;
4. lots, drawn from the schedule's seed: the last resort.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from arena.league.head_to_head import HeadToHead
from arena.league.lots import order_by_lots
from arena.league.model import BlockResult
from arena.league.tally import Tally


class TieBreak(StrEnum):
    """The criteria, in their order."""

    HEAD_TO_HEAD = "head-to-head"
    FIRST_PLACES = "first places"
    STRIKES = "fewer strikes"
    LOTS = "lots"


TieBreakKey = tuple[float, float, float, float]
"""What the criteria say of an entrant: more is better."""


def ranked_tie_break_keys(
    names: Collection[str], results: Sequence[BlockResult], counted: Mapping[str, Tally], seed: bytes
) -> dict[str, TieBreakKey]:
    """Return what each criterion says of each of these entrants, in the order in which they stand.

    Who met none of the others has half of the head-to-head, as if it had come in ahead as often as behind.
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
