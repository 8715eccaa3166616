"""One match in parts for several nodes, so that seats change over all of them as they would in one.

Whoever rotates goes on in the next part where the part before it ends: the entrants of a part are named in the order
that puts them there. With fixed seats it is the first move that goes round, from the first game on, so that parts are
whole rounds.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeVar

from arena.match.match_order import MatchOrder, MatchReport
from arena.match.terms import Seating

Item = TypeVar("Item")


def split_order(order: MatchOrder, part_count: int) -> list[MatchOrder]:
    """Split an order into at most so many parts, none without a game; parts differ by a game, or by a round."""
    counts = _count_games_per_part(order, part_count)
    starts = accumulate(counts, initial=0)
    return [
        replace(order, entrants=_rotate_entrants(order, start), game_count=count, key=f"{order.key}-{index}")
        for index, (start, count) in enumerate(zip(starts, counts, strict=False))
    ]


def reorder_report(report: MatchReport, part: MatchOrder, order: MatchOrder) -> MatchReport:
    """Give the report of a part with everybody in the places of the whole order."""
    places = [part.entrants.index(name) for name in order.entrants]

    def sort(by_entrant: Sequence[Item]) -> tuple[Item, ...]:
        return tuple(by_entrant[place] for place in places) if by_entrant else ()

    games = tuple(replace(game, places=sort(game.places)) for game in report.games)
    return replace(report, games=games, strikes=sort(report.strikes), figures=sort(report.figures))


def _count_games_per_part(order: MatchOrder, part_count: int) -> list[int]:
    """Games of each part."""
    if order.seating is Seating.ROTATED:
        return _split_evenly(order.game_count, part_count)
    size = len(order.entrants)
    rounds, rest = divmod(order.game_count, size)
    counts = [size * count for count in _split_evenly(rounds, part_count)] or [0]
    counts[-1] += rest
    return counts


def _split_evenly(count: int, part_count: int) -> list[int]:
    """Split a number into at most so many that differ by one at most, the larger first.

    >>> _split_evenly(8, 3), _split_evenly(2, 3)
    ([3, 3, 2], [1, 1])
    """
    most = [count // part_count + (part < count % part_count) for part in range(part_count)]
    return [each for each in most if each]


def _rotate_entrants(order: MatchOrder, start: int) -> tuple[str, ...]:
    """The entrants in an order that puts them, in a part's first game, where this game of one match would."""
    turned = start % len(order.entrants) if order.seating is Seating.ROTATED else 0
    return order.entrants[-turned:] + order.entrants[:-turned] if turned else order.entrants
