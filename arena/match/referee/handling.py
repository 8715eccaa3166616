"""The context of one input while it is handled: its instants, and the orders that it has led to so far."""

from arena.match.referee.orders import Order
from arena.match.referee.scalars import Instant


class Handling:
    """Carries an input's instants and orders from method to method."""

    __slots__ = ("at", "now", "orders")

    def __init__(self, at: Instant, now: Instant, orders: list[Order]) -> None:
        """`at` is when the input arrived or was due, `now` is when it is handled. New prompts are timed from `now`."""
        self.at = at
        self.now = now
        self.orders = orders
