"""Plays a practice match over the wire: bots get the bytes of messages, and their decisions are read from bytes.

So tests compare what a bot in practice knows with what the same bot knows over the network.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence

from arena.author.practice.bot_runtime import CoroutineRunner, PracticeRuntime
from arena.author.practice.match import MATCH_ID, describe_stall
from arena.errors import BotFailureError
from arena.games.catalogue import pack_of
from arena.match.deal.stream import SeededChance, entrant_seed
from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.referee.inputs import Begin
from arena.match.referee.orders import DecisionResult, DecisionStatus, Order
from arena.match.referee.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.referee.table import Audience, Table
from arena.match.referee.terms import Terms, describe_terms
from arena.server.node.decisions import DecisionReader
from arena.server.node.limits import Limits
from arena.server.wire.bot_frames import BotFrame
from arena.server.wire.proto_codec import ProtoCodec
from cheatarena.match_table import MatchTable
from cheatarena.player import Player
from cheatarena.receipts import Receipt
from cheatarena.scanning import split_frame, split_message
from cheatarena.seat import Seat
from tests.match.referee.driver import MemoryJournal


class _RefusalTracker:
    """Remembers the last refused answer, to explain why a bot has no answer that counts."""

    def __init__(self, audience: Audience) -> None:
        self.refused: DecisionResult | None = None
        """The last refused answer; None if none was refused."""
        self._audience = audience

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass orders on, and remember a refused answer."""
        first = orders[0]
        if isinstance(first, DecisionResult) and first.status is DecisionStatus.REFUSED:
            self.refused = first
        self._audience.publish(orders)


class WireRuntime(PracticeRuntime):
    """The runtime that all seats share. It implements `cheatarena.seat_runtime.SeatRuntime`."""

    takes_no_answer = False

    def __init__(self, runner: CoroutineRunner, send: Callable[[bytes], None]) -> None:
        super().__init__(runner)
        self.send = send

    def call_later(self, delay_s: float, work: Callable[[], None]) -> asyncio.Task[None]:
        """Raise NotImplementedError, because practice has no timers."""
        raise NotImplementedError(f"practice has no timers, but {work} is to be called in {delay_s} s")

    def on_receipt(self, table: MatchTable, receipt: Receipt) -> None:
        """Ignore the receipt, because practice needs no proof."""


class WireMatch:
    """One match: a table and its bots. Its journal keeps all records."""

    def __init__(
        self,
        terms: Terms,
        seed: bytes,
        bots: Sequence[Player | type[Player]],
        runner: CoroutineRunner,
        clock: Callable[[], Instant],
    ) -> None:
        codec = pack_of(terms.game.name).load_codec()
        self._reader = DecisionReader(codec, Limits())
        self._clock = clock
        self._requests: deque[bytes] = deque()
        self._journal = MemoryJournal()
        self._gate = Gate(self._journal, lambda _: None)
        seeds = [entrant_seed(seed, MATCH_ID, entrant) for entrant in terms.entrant_indices]
        self._feed = MatchFeed(1, terms, seeds, ProtoCodec(codec), self._gate)
        self._refusals = _RefusalTracker(self._feed)
        chance = SeededChance(seed, MATCH_ID)
        self._table = Table(1, MATCH_ID, terms, self._journal, chance, self._refusals, keeps_records=False)
        self._line = WireRuntime(runner, self._requests.append)
        self._seats = [
            self._seat_bot(entrant, bot, StreamSequence(0))
            for entrant, bot in zip(terms.entrant_indices, bots, strict=True)
        ]

    def _seat_bot(
        self, entrant: EntrantIndex, bot: Player | type[Player], after: StreamSequence | None
    ) -> tuple[Outbox, Seat]:
        """Seat a bot. It gets all messages with sequence numbers above `after`.

        If `after` is None, it gets a snapshot and all later messages.
        """
        outbox = Outbox(lambda: None, self._clock, max_bytes=0, max_age_us=0)
        self._feed.attach(self._table.referee, entrant, outbox, after)
        return outbox, Seat(1, entrant, bot() if isinstance(bot, type) else bot, self._line)

    def play(self) -> tuple[tuple[tuple[int, ...], ...], tuple[bytes, ...]]:
        """Play the match to its end. Return the places by game and entrant, and the journal records.

        Raises BotFailureError if a bot gives no answer that counts.
        """
        table = self._table
        now = self._clock()
        table.apply(Begin(now, now, MATCH_ID, describe_terms(table.terms)))
        self._deliver()
        while table.referee.ended is None:
            if not self._requests:
                refused = self._refusals.refused
                raise BotFailureError(describe_stall(table, refused.reason if refused else None))
            while self._requests:
                self._apply_request(self._requests.popleft())
            self._deliver()
        return tuple(ended.places_by_entrant for ended in table.referee.results), tuple(self._journal.records)

    def _deliver(self) -> None:
        """Deliver all messages to the bots. Their answers go into the queue of requests."""
        self._gate.open()
        for outbox, seat in self._seats:
            if outbox.has_ready:
                arrival_s = time.monotonic()
                for message in split_frame(b"".join(outbox.take_frame()))[0]:
                    seat.handle_message(split_message(message), arrival_s)

    def _apply_request(self, request: bytes) -> None:
        """Apply the decisions in a request of a bot."""
        now, frame = self._clock(), BotFrame(request)
        for decision in frame.read_decisions(0, frame.decision_count):
            self._table.apply(self._reader.read_input(decision, now, now))
