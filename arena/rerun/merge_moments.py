"""Merges replayed moments as the table published them: each input together with the draws that it caused."""

from collections.abc import Iterable, Iterator

from arena.match.orders import DrawChance, Order
from arena.match.replay import Moment


def merge_chance_moments(moments: Iterable[Moment]) -> Iterator[Moment]:
    """Yield each moment merged with the draws that follow it, because viewers get both in one message."""
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
