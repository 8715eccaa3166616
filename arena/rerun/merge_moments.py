"""A match's records as a table told them: each input together with the draws that it led to."""

from collections.abc import Iterable, Iterator

from arena.match.orders import DrawChance, Order
from arena.match.replay import Moment


def merge_chance_moments(moments: Iterable[Moment]) -> Iterator[Moment]:
    """Join each moment with those of the chance that followed: a viewer is told of all of it in one message."""
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
