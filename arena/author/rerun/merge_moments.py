"""Merges the moments of a replay. The table published an input and all draws that it caused as one message."""

from collections.abc import Iterable, Iterator

from arena.match.referee.orders import DrawChance, Order
from arena.match.referee.replay import Moment


def merge_chance_moments(moments: Iterable[Moment]) -> Iterator[Moment]:
    """Merge each moment that ends in a draw with the moments that follow from the draw, and yield the results.

    Viewers got all merged moments in one message.
    """
    first: Moment | None = None
    orders: list[Order] = []
    for moment in moments:
        first = first or moment
        orders += moment.orders
        if not (orders and isinstance(orders[-1], DrawChance)):
            yield Moment(first.entry, tuple(orders))
            first, orders = None, []
    if first is not None:
        yield Moment(first.entry, tuple(orders))
