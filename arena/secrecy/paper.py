"""A match without sockets: every byte that each of its viewers would be sent, by the code that serves bots."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.feed.gate import Gate
from arena.feed.match_feed import SPECTATOR, MatchFeed
from arena.feed.outbox import Outbox
from arena.match.orders import Order, Tell
from arena.match.ports import ChanceSource, MatchId, NoJournal
from arena.match.table import Table
from arena.match.terms import Terms
from arena.rpc.codec import ProtoCodec

MATCH_ID = MatchId("SECRECY")
_ENDLESS = 1 << 60


class _Ears(MatchFeed):
    """A feed that also remembers the truth."""

    def hear_into(self, events: list[Any]) -> None:
        """Append every event of the game to this list."""
        self._heard = events

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass on, and remember what happened."""
        self._heard += [order.event for order in orders if isinstance(order, Tell)]
        super().publish(orders)


Input = Callable[["PaperMatch"], None]
"""Something that is done to a match; done to another one again, it does the same there."""


class PaperMatch:
    """One match, watched by one viewer."""

    def __init__(self, terms: Terms, chance: ChanceSource, codec: ProtoCodec, viewer: int) -> None:
        """`viewer`: an entrant or `SPECTATOR`."""
        journal = NoJournal()
        self._gate = Gate(journal, lambda _: None)
        self._feed = _Ears(1, terms, [bytes(32)] * len(terms.entrants), codec, self._gate)
        self._outbox = Outbox(lambda: None, lambda: 0, _ENDLESS, _ENDLESS)
        self.events: list[Any] = []
        """What happened since `take_events`."""
        self._feed.hear_into(self.events)
        self.viewer = viewer
        self.now = 0
        self.table = Table(1, MATCH_ID, terms, journal, chance, self._feed, keeps_records=False)
        self.look(after=0)

    def look(self, after: int | None) -> None:
        """Connect the viewer anew: it gets what it missed after a sequence, or a snapshot."""
        if self.viewer == SPECTATOR:
            self._feed.unwatch(self._outbox)
            self._feed.watch(self.table.referee, self._outbox, after)
        else:
            self._feed.attach(self.table.referee, self.viewer, self._outbox, after)

    def take_bytes(self) -> bytes:
        """What the viewer was sent since the last time."""
        self._gate.open()
        return b"".join(self._outbox.take())

    def take_events(self) -> list[Any]:
        """What happened since the last time, in full truth."""
        events = self.events.copy()
        self.events.clear()
        return events
