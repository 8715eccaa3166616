"""A match without sockets, in which the code that serves bots produces every byte that a viewer would receive."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import SPECTATOR, MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.referee.orders import Order, TellEvent
from arena.match.referee.ports import ChanceSource, MatchId, NullJournal
from arena.match.referee.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.referee.table import Table
from arena.match.referee.terms import Terms
from arena.server.wire.proto_codec import ProtoCodec

MATCH_ID = MatchId("SECRECY")
_UNLIMITED = 1 << 60


MatchInput = Callable[["InMemoryMatch"], None]
"""A function that gives a match an input. Applied to the other twin, it gives that match the same input."""


class InMemoryMatch:
    """A match with one viewer. Implements `arena.match.referee.table.Audience`."""

    def __init__(self, terms: Terms, chance: ChanceSource, codec: ProtoCodec, viewer: EntrantIndex) -> None:
        """`viewer` is an entrant or `SPECTATOR`."""
        journal = NullJournal()
        self._gate = Gate(journal, lambda _: None)
        self._feed = MatchFeed(1, terms, [bytes(32)] * len(terms.entrants), codec, self._gate)
        self._outbox = Outbox(lambda: None, lambda: Instant(0), _UNLIMITED, _UNLIMITED)
        self._events: list[Any] = []
        """Events since the last `take_events`."""
        self.viewer = viewer
        self.now = 0
        self.table = Table(1, MATCH_ID, terms, journal, chance, self, keeps_records=False)
        self.reconnect_viewer(after=StreamSequence(0))

    def publish(self, orders: Sequence[Order]) -> None:
        """Record the true events of these orders, and pass the orders to the viewer's feed."""
        self._events += [order.event for order in orders if isinstance(order, TellEvent)]
        self._feed.publish(orders)

    def reconnect_viewer(self, after: StreamSequence | None) -> None:
        """Reconnect the viewer. It receives the messages after sequence number `after`, or a snapshot for None."""
        if self.viewer == SPECTATOR:
            self._feed.unwatch(self._outbox)
            self._feed.watch(self.table.referee, self._outbox, after)
        else:
            self._feed.attach(self.table.referee, self.viewer, self._outbox, after)

    def take_bytes(self) -> bytes:
        """Return the bytes that the viewer was sent since the last call."""
        self._gate.open()
        return b"".join(self._outbox.take_frame())

    def take_events(self) -> list[Any]:
        """Return the events since the last call, with all secrets."""
        events, self._events = self._events, []
        return events
