"""Runs a match without sockets: the code that serves bots yields every byte that a viewer would receive."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.feed.gate import Gate
from arena.feed.match_feed import SPECTATOR, MatchFeed
from arena.feed.outbox import Outbox
from arena.match.orders import Order, TellEvent
from arena.match.ports import ChanceSource, MatchId, NullJournal
from arena.match.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.table import Table
from arena.match.terms import Terms
from arena.wire.proto_codec import ProtoCodec

MATCH_ID = MatchId("SECRECY")
_UNLIMITED = 1 << 60


class _RecordingFeed(MatchFeed):
    """A feed that also records the true events."""

    def record_into(self, events: list[Any]) -> None:
        """Append every event of the game to this list."""
        self._recorded = events

    def publish(self, orders: Sequence[Order]) -> None:
        """Publish orders and record their events."""
        self._recorded += [order.event for order in orders if isinstance(order, TellEvent)]
        super().publish(orders)


MatchInput = Callable[["InMemoryMatch"], None]
"""An action on a match; applied to the twin, it does the same there."""


class InMemoryMatch:
    """A match with one viewer."""

    def __init__(self, terms: Terms, chance: ChanceSource, codec: ProtoCodec, viewer: EntrantIndex) -> None:
        """`viewer` is an entrant or `SPECTATOR`."""
        journal = NullJournal()
        self._gate = Gate(journal, lambda _: None)
        self._feed = _RecordingFeed(1, terms, [bytes(32)] * len(terms.entrants), codec, self._gate)
        self._outbox = Outbox(lambda: None, lambda: Instant(0), _UNLIMITED, _UNLIMITED)
        self.events: list[Any] = []
        """Events since the last `take_events`."""
        self._feed.record_into(self.events)
        self.viewer = viewer
        self.now = 0
        self.table = Table(1, MATCH_ID, terms, journal, chance, self._feed, keeps_records=False)
        self.reconnect_viewer(after=StreamSequence(0))

    def reconnect_viewer(self, after: StreamSequence | None) -> None:
        """Reconnect the viewer: it receives the messages after a sequence, or a snapshot if `after` is None."""
        if self.viewer == SPECTATOR:
            self._feed.unwatch(self._outbox)
            self._feed.watch(self.table.referee, self._outbox, after)
        else:
            self._feed.attach(self.table.referee, self.viewer, self._outbox, after)

    def take_bytes(self) -> bytes:
        """Return what the viewer was sent since the last call."""
        self._gate.open()
        return b"".join(self._outbox.take_frame())

    def take_events(self) -> list[Any]:
        """Return the events since the last call, with all secrets."""
        events = self.events.copy()
        self.events.clear()
        return events
