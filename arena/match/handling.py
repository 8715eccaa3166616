"""One input while it is handled: its instants, and the orders that it has led to so far."""

from arena.match.orders import Order
from arena.match.scalars import Instant


class Handling:
    """Passed along from method to method, so that instants and orders travel together."""

    __slots__ = ("at", "now", "orders")

    def __init__(self, at: Instant, now: Instant, orders: list[Order]) -> None:
        """`at` is when something arrived or was due, `now` when it is handled: new prompts run from `now`."""
        self.at = at
        self.now = now
        self.orders = orders
