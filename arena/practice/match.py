"""One match in practice: a table, and everybody at it in turn."""

import time
from collections import deque
from collections.abc import Callable, Sequence

from arena.deal.stream import SeededChance, entrant_seed
from arena.errors import BotFailureError
from arena.feed.gate import Gate
from arena.feed.match_feed import MatchFeed
from arena.feed.outbox import Outbox
from arena.games.catalogue import pack_of
from arena.match.orders import DecisionResult, DecisionStatus, Order
from arena.match.ports import MatchId, NullJournal
from arena.match.table import Table
from arena.match.terms import Terms
from arena.node.decisions import read_decisions
from arena.practice.practice_line import CoroutineRunner, PracticeLine
from arena.wire.proto_codec import ProtoCodec
from cheatarena.player import Player
from cheatarena.scanning import split_frame, split_message
from cheatarena.seat import Seat

MATCH_ID = MatchId("PRACTICE")
"""Seed and match id decide all luck; here the seed alone does."""


class _InMemoryJournal(NullJournal):
    """A journal in memory."""

    def __init__(self, records: list[bytes]) -> None:
        self._records = records

    def append(self, record: bytes) -> None:
        """Add a record."""
        self._records.append(record)


class _RefusalTrackingFeed(MatchFeed):
    """Remembers why answers were refused, for a bot that has no other."""

    refused: DecisionResult | None = None

    def publish(self, orders: Sequence[Order]) -> None:
        """Pass on, and look for refusals."""
        first = orders[0]
        if isinstance(first, DecisionResult) and first.status is DecisionStatus.REFUSED:
            self.refused = first
        super().publish(orders)


class PracticeMatch:
    """One match: a table, and everybody at it in turn."""

    def __init__(
        self,
        terms: Terms,
        seed: bytes,
        bots: Sequence[Player | type[Player]],
        workshop: CoroutineRunner,
        clock: Callable[[], int],
        keeps_records: bool,
    ) -> None:
        self._wire = pack_of(terms.game.name).load_codec()
        self._clock = clock
        self._said: deque[bytes] = deque()
        self._records: list[bytes] = []
        journal = _InMemoryJournal(self._records) if keeps_records else NullJournal()
        self._gate = Gate(journal, lambda _: None)
        seeds = [entrant_seed(seed, MATCH_ID, entrant) for entrant in range(len(bots))]
        self._feed = _RefusalTrackingFeed(1, terms, seeds, ProtoCodec(self._wire), self._gate)
        self._table = Table(1, MATCH_ID, terms, journal, SeededChance(seed, MATCH_ID), self._feed, keeps_records=False)
        self._line = PracticeLine(workshop, self._said.append)
        self._places = [self._seat_bot(entrant, bot, 0) for entrant, bot in enumerate(bots)]

    def _seat_bot(self, entrant: int, bot: Player | type[Player], after: int | None) -> tuple[Outbox, Seat]:
        """Seat a bot, which hears of all messages after this one; None: of a snapshot, and what follows."""
        outbox = Outbox(lambda: None, self._clock, max_bytes=0, max_age_us=0)
        self._feed.attach(self._table.referee, entrant, outbox, after)
        return outbox, Seat(1, entrant, bot() if isinstance(bot, type) else bot, self._line)

    def play(self) -> tuple[tuple[tuple[int, ...], ...], tuple[bytes, ...]]:
        """Play to the end; gives the places by game and entrant, and the records."""
        table = self._table
        now = self._clock()
        table.begin(now, now)
        self._deliver()
        while table.referee.ended is None:
            if not self._said:
                raise BotFailureError(self._describe_stall())
            while self._said:
                self._apply_request(self._said.popleft())
            self._deliver()
        places = [dict(zip(ended.entrants, ended.places, strict=True)) for ended in table.referee.results]
        return tuple(tuple(by[e] for e in range(len(by))) for by in places), tuple(self._records)

    def _deliver(self) -> None:
        """Give everybody its messages; what the bots answer is said."""
        self._gate.open()
        for outbox, seat in self._places:
            if outbox.has_ready:
                arrival_s = time.monotonic()
                for message in split_frame(b"".join(outbox.take_frame()))[0]:
                    seat.handle_message(split_message(message), arrival_s)

    def _apply_request(self, request: bytes) -> None:
        """Take what a bot has sent."""
        now, table = self._clock(), self._table
        for heard in read_decisions(request, self._wire):
            ids = heard.entrant, heard.prompt_id, heard.action_id
            if heard.fault:
                table.reject(now, now, *ids, heard.fault)
            else:
                table.answer(now, now, *ids, heard.action, heard.note)

    def _describe_stall(self) -> str:
        """Say who owes an answer, and what became of its last one."""
        referee, refused = self._table.referee, self._feed.refused
        for entrant, name in enumerate(self._table.terms.entrants):
            if any(not is_answered for _, is_answered in referee.prompts_of(entrant)):
                why = f": its last answer was refused, {refused.reason}" if refused else ""
                return f"{name} gives no answer that counts in game {len(referee.results)}{why}"
        return "nobody has anything to answer, and the match is not over"
