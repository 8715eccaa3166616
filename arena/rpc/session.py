"""One stream of one bot process: a reader that stamps and understands, an outbox, a writer.

The reader hands everything to the hall synchronously; no task is made for a decision. The writer takes whatever has
become ready and sends it as one frame.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Protocol

import structlog
from google.protobuf.message import DecodeError

from arena.errors import ProtocolError
from arena.feed.gate import Gate
from arena.feed.outbox import Outbox
from arena.match.hall import Booking, GuestKey, Hall
from arena.match.orders import Answer, Refusal, Status
from arena.rpc.codec import NOTICE, ProtoCodec, frame, terms_message
from arena.rpc.games import WIRES, wire_of
from arena.rpc.limits import Allowance, Limits
from arena.rpc.reasons import reason_number
from arena.rpc.wire import delimited
from cheatarena.v1 import lobby_pb2, play_pb2, session_pb2
from cheatarena.v1.decision_pb2 import Decision

log = structlog.get_logger(__name__)

MOST_GAMES = 32
MOST_POSITIONS = 20_000
"""What a Hello may name; more only costs time."""
_INVALID_SPAN_US = 10_000_000
_ASKING = frozenset({"offered", "entropy_asked", "ping"})
"""Notices that want an answer."""
SLICE = 64
"""So many decisions are dealt with at a stretch."""
_ENTRANTS = 256
"""An offer's id is made of match number and entrant, of which a match has fewer."""


class Node(Protocol):
    """What a session needs of its node."""

    hall: Hall
    gate: Gate
    limits: Limits

    def now(self) -> int:
        """Microseconds since the node started."""


class Session:
    """A connected bot process; implements `arena.match.hall.Guest`."""

    def __init__(self, node: Node, key: GuestKey, hello: session_pb2.Hello) -> None:
        self.key = key
        self.capacity = hello.capacity
        self._games = {support.game: set(support.presets) for support in hello.games}
        self._node = node
        limits = node.limits
        self.ready = asyncio.Event()
        size = limits.outbox_bytes + limits.outbox_bytes_a_seat * min(hello.capacity, 1000)
        self.outbox = Outbox(self._wake, node.now, size, limits.outbox_age_us)
        self.ended: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        """Reason and sentence with which the server ends the stream."""
        self.dropped_count = 0
        self.round_trip_us: int | None = None
        """The shortest that was measured; None: none yet."""
        self._pinged = -1
        self.handle = ""
        """The public part of its token."""
        self.is_leaving = False
        """It has said goodbye."""
        self._allowance = Allowance(limits, node.now())
        self._invalid: deque[int] = deque(maxlen=limits.invalid_messages)

    # ---- what the hall tells it

    def plays(self, game: str, preset: str) -> bool:
        """Whether it knows this game and preset."""
        presets = self._games.get(game)
        return presets is not None and (not presets or preset in presets)

    def offer(self, booking: Booking, entrant: int, answer_by: int) -> None:
        """Offer it a seat."""
        self.notify(
            play_pb2.ServerNotice(
                offered=lobby_pb2.Offered(
                    offer_id=_offer_id(booking, entrant),
                    match=booking.number,
                    entrant=entrant,
                    terms=terms_message(booking.terms),
                    answer_by_us=answer_by,
                )
            )
        )

    def close_offer(self, booking: Booking, entrant: int, reason: str) -> None:
        """Tell it that an offer is gone."""
        closed = lobby_pb2.OfferClosed(offer_id=_offer_id(booking, entrant), reason=reason_number(reason))
        self.notify(play_pb2.ServerNotice(offer_closed=closed))

    def ask_entropy(self, booking: Booking, entrant: int, answer_by: int) -> None:
        """Ask for the entropy that it has promised."""
        asked = lobby_pb2.EntropyAsked(offer_id=_offer_id(booking, entrant), answer_by_us=answer_by)
        self.notify(play_pb2.ServerNotice(entropy_asked=asked))

    def assign(self, number: int, entrant: int) -> None:
        """Tell it where its table is: here."""
        self.notify(play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=number, entrant=entrant)))

    def notify(self, notice: play_pb2.ServerNotice) -> None:
        """Send a notice, after everything that was staged before. What asks for an answer makes room for it."""
        if notice.WhichOneof("notice") in _ASKING:
            self.outbox.asked_count += 1
        self.outbox.stage(delimited(NOTICE, notice.SerializeToString()))
        self._node.gate.hold(self.outbox)

    def end(self, reason: str, detail: str) -> None:
        """End the stream; only the first reason counts."""
        if not self.ended.done():
            farewell = session_pb2.Farewell(reason=reason_number(reason), detail=detail)
            self.notify(play_pb2.ServerNotice(farewell=farewell))
            self.outbox.close()
            self.ended.set_result((reason, detail))

    def ping(self, now: int) -> None:
        """Ask for a pong; its nonce is the instant of asking."""
        self._pinged = now
        self.notify(play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=now)))

    def _measure(self, nonce: int, at: int) -> None:
        """Keep the shortest round trip; a pong that was not asked for, or comes twice, tells nothing."""
        if nonce == self._pinged:
            self._pinged = -1
            self.round_trip_us = min(max(0, at - nonce), self.round_trip_us or at - nonce)

    def _wake(self) -> None:
        if self.outbox.is_overfull:
            self.end("too_slow", "the bot does not read what it is sent; it may come back")
        self.ready.set()

    def next_frame(self) -> bytes:
        """Everything that is ready, as one frame; empty when nothing is."""
        fields = self.outbox.take()
        if not self.outbox.has_ready:
            self.ready.clear()
        return frame(fields, self._node.now()) if fields else b""

    # ---- what it says

    def receive(self, raw: bytes, at: int) -> Iterator[None]:
        """Take a frame that arrived at `at`, slice by slice: wherever it yields, others may get a turn."""
        try:
            request = play_pb2.PlayRequest.FromString(raw)
        except DecodeError:
            self._count_invalid(at)
            return
        if len(request.decisions) + len(request.notices) > self._node.limits.frame_items:
            self.end("too_many_invalid", f"a frame may hold {self._node.limits.frame_items} decisions and notices")
            return
        yield from self._take(request, at)

    def _take(self, request: play_pb2.PlayRequest, at: int) -> Iterator[None]:
        """Deal with a frame in order, up to what the session may say; dropping the rest is one offence."""
        decisions, notices = list(request.decisions), list(request.notices)
        allowed = self._may_speak(len(decisions) + len(notices))
        if allowed < len(decisions) + len(notices):
            self._count_invalid(at)
        del notices[max(0, allowed - len(decisions)) :], decisions[allowed:]
        for start in range(0, len(decisions), SLICE):
            if start:
                yield
            now = self._node.now()
            for decision in decisions[start : start + SLICE]:
                self._decide_safely(decision, at, now)
        for notice in notices:
            self._hear(notice, at, self._node.now())

    def _decide_safely(self, decision: Decision, at: int, now: int) -> None:
        try:
            self._decide(decision, at, now)
        except Exception as fault:
            self._tell_of(decision, fault)
            raise

    def _tell_of(self, decision: Decision, fault: Exception) -> None:
        """Log a fault of ours with all that is needed to find the decision again. What bots hold is not logged."""
        booking = self._node.hall.bookings.get(decision.match)
        referee = None if booking is None else booking.table.referee
        log.error(
            "decision failed",
            exc_info=fault,
            match=None if booking is None else booking.match_id,
            game=None if referee is None else len(referee.results),
            seat=None if referee is None else referee.seat_of(decision.entrant),
            sequence=None if booking is None else booking.room.sequence_of(decision.entrant),
            prompt=decision.prompt_id,
        )

    def _may_speak(self, wanted: int) -> int:
        """How many of so many messages are dealt with; the others are dropped."""
        granted = self._allowance.take(self._node.now(), self.outbox.asked_count, wanted)
        self.dropped_count += wanted - granted
        return granted

    def _decide(self, decision: Decision, at: int, now: int) -> None:
        hall, number, entrant = self._node.hall, decision.match, decision.entrant
        prompt_id, action_id = decision.prompt_id, decision.action_id
        booking = hall.seated(self, number, entrant)
        if booking is None:
            self._refuse_unseated(number, entrant, prompt_id, action_id)
            return
        action = WIRES[booking.terms.game.name].read_action(decision)
        reason = why_unreadable(decision, action, self._node.limits)
        if reason:
            self._count_invalid(at)
            hall.enter(booking, booking.table.reject, at, now, entrant, prompt_id, action_id, reason)
        else:
            answer = booking.table.answer
            hall.enter(booking, answer, at, now, entrant, prompt_id, action_id, action, decision.note)

    def _refuse_unseated(self, number: int, entrant: int, prompt_id: int, action_id: int) -> None:
        """A decision for a seat that is not this session's gets one answer, outside of any sequence."""
        codec = _ANY_GAME
        answer = codec.answer(Answer(entrant, prompt_id, action_id, Status.REFUSED, Refusal.UNKNOWN_PROMPT))
        self.outbox.stage(codec.message(codec.header(number, entrant), 0, answer))
        self._node.gate.hold(self.outbox)

    def _hear(self, notice: play_pb2.BotNotice, at: int, now: int) -> None:
        hall = self._node.hall
        match notice.WhichOneof("notice"):
            case "offer_answer":
                self._answer_offer(notice.offer_answer, at, now)
            case "entropy":
                number, entrant = divmod(notice.entropy.offer_id, _ENTRANTS)
                hall.tell_entropy(self, number, entrant, notice.entropy.entropy, at, now)
            case "ready":
                booking = hall.seated(self, notice.ready.match, notice.ready.entrant)
                if booking is not None:
                    hall.enter(booking, booking.table.ready, at, now, notice.ready.entrant)
            case "leave":
                booking = hall.seated(self, notice.leave.match, notice.leave.entrant)
                if booking is not None:
                    hall.enter(booking, booking.table.leave, at, now, notice.leave.entrant)
            case "goodbye":
                self.is_leaving = True
                self.end("goodbye", "")
            case "pong":
                self._measure(notice.pong.nonce, at)
            case _:
                self._count_invalid(at)

    def _answer_offer(self, answer: lobby_pb2.OfferAnswer, at: int, now: int) -> None:
        number, entrant = divmod(answer.offer_id, _ENTRANTS)
        try:
            self._node.hall.answer_offer(self, number, entrant, answer.accept, at, now, answer.entropy_promise)
        except ValueError:
            self._count_invalid(at)

    def _count_invalid(self, at: int) -> None:
        self._invalid.append(at)
        is_full = len(self._invalid) == self._invalid.maxlen
        if is_full and at - self._invalid[0] < _INVALID_SPAN_US:
            self.end("too_many_invalid", "too many messages that are none of the protocol")


_ANY_GAME = ProtoCodec(wire_of("cheat"))


def _offer_id(booking: Booking, entrant: int) -> int:
    return booking.number * _ENTRANTS + entrant


def why_unreadable(decision: Decision, action: object, limits: Limits) -> str:
    """Why a decision cannot be taken as one, as a reason; empty where it can."""
    if decision.ByteSize() > limits.decision_bytes or decision.action_id == 0 or decision.prompt_id == 0:
        return Refusal.MALFORMED
    if action is None:
        return Refusal.MALFORMED
    note = decision.note
    return Refusal.NOTE_TOO_LONG if note and len(note.encode()) > limits.note_bytes else ""


def read_hello(raw: bytes) -> session_pb2.Hello:
    """The Hello of a first frame. Raises ProtocolError saying what was expected."""
    try:
        request = play_pb2.PlayRequest.FromString(raw)
    except DecodeError as error:
        raise ProtocolError("the first frame is not a PlayRequest") from error
    is_alone = len(request.notices) == 1 and not request.decisions
    if not is_alone or request.notices[0].WhichOneof("notice") != "hello":
        raise ProtocolError("the first frame has to hold one Hello and nothing else")
    hello = request.notices[0].hello
    if not 1 <= len(hello.instance) <= 64 or not hello.instance.isprintable():
        raise ProtocolError("Hello.instance has to be 1 to 64 printable characters")
    if len(hello.label) > 64 or not (hello.label.isprintable() or not hello.label):
        raise ProtocolError("Hello.label has to be at most 64 printable characters")
    if not hello.games or not 1 <= hello.capacity <= 10_000:
        raise ProtocolError("Hello has to name at least one game, and a capacity from 1 to 10000")
    named = len(hello.games) + sum(len(support.presets) for support in hello.games[:MOST_GAMES])
    if len(hello.games) > MOST_GAMES or named > MOST_GAMES * 8 or len(hello.positions) > MOST_POSITIONS:
        raise ProtocolError(f"Hello names too much: {MOST_GAMES} games and {MOST_POSITIONS} positions are the most")
    return hello
