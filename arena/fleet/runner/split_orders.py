"""Splits a match into parts for several nodes, and repeats a match. The seats rotate on from each match to the next.

With rotated seats, each part lists its entrants in the order that continues the rotation where the part before it ends.
With fixed seats, the first move passes from seat to seat, game by game. Each part begins this cycle anew, so each part
has whole rounds.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate
from typing import TypeVar

from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.terms import Seating

Item = TypeVar("Item")


def split_order(order: MatchOrder, part_count: int) -> list[MatchOrder]:
    """Split an order into at most `part_count` parts, none empty.

    With rotated seats, the sizes of the parts differ by at most one game. With fixed seats, they differ by at most one
    round. The last part then also gets the games that do not fill a round.
    """
    counts = _count_games_per_part(order, part_count)
    starts = accumulate(counts, initial=0)
    return [
        replace(order, entrants=_rotate_entrants(order, start), game_count=count, key=f"{order.key}-{index}")
        for index, (start, count) in enumerate(zip(starts, counts, strict=False))
    ]


def repeat_order(order: MatchOrder, match_count: int) -> list[MatchOrder]:
    """Return the orders of several matches between the same entrants, each with all games of `order`.

    With rotated seats, each match begins where the rotation of the match before it ends. If the order has a seed, the
    first match has that seed, and each later one a seed derived from it. So no match repeats the cards of another, and
    a longer series begins with the matches of a shorter one.
    """
    return [
        replace(
            order,
            entrants=_rotate_entrants(order, index * order.game_count),
            seed=order.seed if index == 0 else derive_seed(order.seed, index),
            key=f"{order.key}-{index}",
        )
        for index in range(match_count)
    ]


def derive_seed(seed: bytes, index: int) -> bytes:
    """Return no bytes if there is no seed for all matches."""
    return sha256(seed + index.to_bytes(4, "big")).digest() if seed else b""


def reorder_report(report: MatchReport, part: MatchOrder, order: MatchOrder) -> MatchReport:
    """The entrants get the order of `order`, of which `part` is a part, or one match of a series."""
    places = [part.entrants.index(name) for name in order.entrants]

    def reorder(by_entrant: Sequence[Item]) -> tuple[Item, ...]:
        return tuple(by_entrant[place] for place in places) if by_entrant else ()

    games = tuple(replace(game, places=reorder(game.places)) for game in report.games)
    return replace(report, games=games, strikes=reorder(report.strikes), figures=reorder(report.figures))


def _count_games_per_part(order: MatchOrder, part_count: int) -> list[int]:
    if order.seating is Seating.ROTATED:
        return _split_evenly(order.game_count, part_count)
    size = len(order.entrants)
    rounds, rest = divmod(order.game_count, size)
    counts = [size * count for count in _split_evenly(rounds, part_count)] or [0]
    counts[-1] += rest
    return counts


def _split_evenly(count: int, part_count: int) -> list[int]:
    """Split a number into at most `part_count` positive parts that differ by at most one, the larger first.

    >>> _split_evenly(8, 3), _split_evenly(2, 3)
    ([3, 3, 2], [1, 1])
    """
    parts = [count // part_count + (part < count % part_count) for part in range(part_count)]
    return [each for each in parts if each]


def _rotate_entrants(order: MatchOrder, start: int) -> tuple[str, ...]:
    """The part's first game then has the seats of the whole match's game `start`."""
    shift = start % len(order.entrants) if order.seating is Seating.ROTATED else 0
    return order.entrants[-shift:] + order.entrants[:-shift] if shift else order.entrants
