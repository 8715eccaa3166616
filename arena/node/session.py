"""One session of a bot process: its outbox, and what its frames lead to, in parts that the inbox has dealt with.

Synchronous: no task is made for a decision. `PlayService` reads and writes the stream.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import structlog
from google.protobuf.message import DecodeError

from arena.feed.gate import Gate
from arena.feed.outbox import Outbox
from arena.match.orders import DecisionResult, DecisionStatus, Refusal
from arena.node.decisions import read_decision
from arena.node.hosted_match import HostedMatch, SessionKey
from arena.node.limits import Limits
from arena.node.match_registry import MatchRegistry
from arena.node.rate_limiter import RateLimiter
from arena.node.wait_log import LONG_WAIT_US, WaitLog
from arena.wire.error_reasons import reason_number
from arena.wire.game_codec import GameCodec
from arena.wire.proto_codec import NOTICE, ProtoCodec, build_frame, terms_message
from arena.wire.protobuf_encoding import encode_delimited
from cheatarena.v1 import lobby_pb2, play_pb2, session_pb2
from cheatarena.v1.decision_pb2 import Decision

log = structlog.get_logger(__name__)

_ENTRANTS_PER_MATCH = 256
"""An offer's id is made of match number and entrant, of which a match has fewer."""
DECISIONS_PER_STEP = 16
"""So many decisions are dealt with in one go."""
FRAME_OVERHEAD_BYTES = 512
"""Bytes that a frame takes while it waits, whatever is in it."""
FLOOD_PAUSE_S = 0.05
"""So long nothing is read from a session after a frame that said too much."""
MAX_WAITING_BYTES = 256 * 1024
"""So much may have been read and wait: bounded, and far more than a bot has to say at a time."""


class SessionHost(Protocol):
    """What a session needs of its node."""

    hall: MatchRegistry
    gate: Gate
    limits: Limits
    game_codecs: Mapping[str, GameCodec]
    """The games that can be played here, by name."""

    def now(self) -> int:
        """Microseconds since the node started."""


class Session:
    """A connected bot process; implements `arena.node.hosted_match.Guest`."""

    def __init__(self, node: SessionHost, key: SessionKey, hello: session_pb2.Hello, standing: RateLimiter) -> None:
        """`standing`: how its earlier streams have left it, or a new one."""
        self.key = key
        self.capacity = hello.capacity
        self._games = {support.game: set(support.presets) for support in hello.games}
        self._node = node
        limits = node.limits
        self.ready = asyncio.Event()
        self._seats: set[tuple[int, int]] = set()
        """Match number and entrant of the seats that it holds."""
        self.outbox = Outbox(self._wake, node.now, limits.outbox_bytes, limits.outbox_age_us)
        self.ended: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        """Reason and sentence with which the server ends the stream."""
        self.round_trip_us: int | None = None
        """The shortest that was measured; None: none yet."""
        self._pinged = -1
        self._heard = (-1, -1)
        """When the last two frames with decisions came, the earlier one first; -1: none did."""
        self._waits = WaitLog()
        """Of frames that waited long to leave."""
        self.handle = ""
        """The public part of its token."""
        self.expires_at: float | None = None
        """When its token does: wall clock, seconds since 1970; None: never."""
        self.is_leaving = False
        """It has said goodbye."""
        self.fault: Exception | None = None
        """What went wrong here while a frame was dealt with."""
        self._waiting_bytes = 0
        """Of frames that were read and are not dealt with yet."""
        self._room: asyncio.Future[None] | None = None
        self._has_flooded = False
        self._standing = standing
        self.outbox.prompt_count = standing.asked_count

    @property
    def dropped_count(self) -> int:
        """How many of its messages were dropped."""
        return self._standing.dropped_count

    def hand_over_rate_limiter(self) -> RateLimiter:
        """What the next stream of this session goes on with."""
        self._standing.asked_count = self.outbox.prompt_count
        return self._standing

    def hold_seat(self, number: int, entrant: int) -> None:
        """It has taken a seat: more may wait for it."""
        self._seats.add((number, entrant))
        self._resize_outbox()

    def release_seat(self, number: int, entrant: int) -> None:
        """A seat is over, or is not its own any more."""
        self._seats.discard((number, entrant))
        self._resize_outbox()

    def _resize_outbox(self) -> None:
        limits = self._node.limits
        counted = min(len(self._seats), limits.outbox_seats)
        self.outbox.set_max_bytes(limits.outbox_bytes + limits.outbox_bytes_a_seat * counted)

    # ---- what the hall tells it

    def can_play(self, game: str, preset: str) -> bool:
        """Whether it knows this game and preset."""
        presets = self._games.get(game)
        return presets is not None and (not presets or preset in presets)

    def offer_seat(self, booking: HostedMatch, entrant: int, answer_by: int) -> None:
        """Offer it a seat."""
        offer_id = _offer_id(booking, entrant)
        if offer_id > self._standing.last_offer:
            self._standing.last_offer = offer_id
            self.outbox.prompt_count += 1
        self.notify(
            play_pb2.ServerNotice(
                offered=lobby_pb2.Offered(
                    offer_id=offer_id,
                    match=booking.number,
                    entrant=entrant,
                    terms=terms_message(booking.terms, self._node.game_codecs[booking.terms.game.name]),
                    answer_by_us=answer_by,
                )
            )
        )

    def close_offer(self, booking: HostedMatch, entrant: int, reason: str) -> None:
        """Tell it that an offer is gone."""
        closed = lobby_pb2.OfferClosed(offer_id=_offer_id(booking, entrant), reason=reason_number(reason))
        self.notify(play_pb2.ServerNotice(offer_closed=closed))

    def ask_entropy(self, booking: HostedMatch, entrant: int, answer_by: int) -> None:
        """Ask for the entropy that it has promised."""
        offer_id = _offer_id(booking, entrant)
        if offer_id > self._standing.last_entropy:
            self._standing.last_entropy = offer_id
            self.outbox.prompt_count += 1
        asked = lobby_pb2.EntropyAsked(offer_id=offer_id, answer_by_us=answer_by)
        self.notify(play_pb2.ServerNotice(entropy_asked=asked))

    def assign_seat(self, number: int, entrant: int) -> None:
        """Tell it where its table is: here."""
        self.notify(play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=number, entrant=entrant)))

    def notify(self, notice: play_pb2.ServerNotice) -> None:
        """Send a notice, after everything that was staged before."""
        self.outbox.stage(encode_delimited(NOTICE, notice.SerializeToString()))
        self._node.gate.release_after_flush(self.outbox)

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
        self.outbox.prompt_count += 1
        self.notify(play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=now)))

    def _measure_round_trip(self, nonce: int, at: int) -> None:
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
        since, now = self.outbox.oldest, self._node.now()
        if since is not None and now - since > LONG_WAIT_US:
            self._waits.record(now, now - since)
        fields = self.outbox.take_frame()
        if not self.outbox.has_ready:
            self.ready.clear()
        return build_frame(fields, now) if fields else b""

    # ---- what is told of it where something went wrong

    def last_decisions_before(self, at: int) -> int | None:
        """When its last decisions came that came before an instant; None: none of the last two frames did."""
        heard = next((each for each in reversed(self._heard) if each < at), -1)
        return None if heard < 0 else heard

    def max_send_delay_us(self, since: int, now: int) -> int:
        """How long frames waited to leave after an instant, at most; one that still waits too. The ordinary is 0."""
        oldest = self.outbox.oldest
        waiting = 0 if oldest is None else now - oldest
        return max(self._waits.longest_since(since), waiting if waiting > LONG_WAIT_US else 0)

    # ---- what it says

    def frame_steps(self, raw: bytes, at: int) -> Iterator[None]:
        """Give what deals with a frame that arrived at `at`: some decisions a step, up to what the session may say.

        Dropping the rest is one offence. What an older stream of this session said last changes nothing.
        """
        self._waiting_bytes += len(raw) + FRAME_OVERHEAD_BYTES
        return self._frame_steps(raw, at)

    def _frame_steps(self, raw: bytes, at: int) -> Iterator[None]:
        try:
            if self._node.hall.sessions.by_key.get(self.key) is self:
                yield from self._handle_frame(raw, at)
        finally:
            self._waiting_bytes -= len(raw) + FRAME_OVERHEAD_BYTES
            if self._room is not None and not self._room.done():
                self._room.set_result(None)

    async def wait_for_room(self) -> None:
        """Return when little enough waits to be dealt with: nobody reads ahead without end.

        Who says more than it may is read more slowly, so that a flood stays in its sender's own buffers.
        """
        while self._waiting_bytes > MAX_WAITING_BYTES:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
        if self._has_flooded:
            self._has_flooded = False
            await asyncio.sleep(FLOOD_PAUSE_S)

    def fail(self, fault: Exception) -> None:
        """A fault of ours ends the stream, and must not pass for the end of it."""
        self.fault = fault
        if not self.ended.done():
            self.ended.set_result(("", ""))

    def _handle_frame(self, raw: bytes, at: int) -> Iterator[None]:
        try:
            request = play_pb2.PlayRequest.FromString(raw)
        except DecodeError:
            self._count_invalid(at)
            return
        wanted = len(request.decisions) + len(request.notices)
        if wanted > self._node.limits.frame_items:
            self._count_invalid(at)
            self.end("too_many_invalid", f"a frame may hold {self._node.limits.frame_items} decisions and notices")
            return
        decisions, notices = list(request.decisions), list(request.notices)
        allowed = self._standing.grant(self._node.now(), self.outbox.prompt_count, max(1, wanted))
        if allowed < max(1, wanted):
            self._has_flooded = True
            self._count_invalid(at)
            del notices[max(0, allowed - len(decisions)) :], decisions[allowed:]
        for first in range(0, len(decisions), DECISIONS_PER_STEP):
            self._handle_decisions(decisions[first : first + DECISIONS_PER_STEP], at, self._node.now())
            yield
        for notice in notices:
            self._handle_notice(notice, at, self._node.now())
            yield

    def _handle_decisions(self, decisions: Sequence[Decision], at: int, now: int) -> None:
        """Put decisions before their tables."""
        hall, limits, codecs = self._node.hall, self._node.limits, self._node.game_codecs
        if at != self._heard[1]:
            self._heard = self._heard[1], at
        for decision in decisions:
            number, entrant = decision.match, decision.entrant
            prompt_id, action_id = decision.prompt_id, decision.action_id
            booking = hall.sessions.find_running(self.key, number, entrant)
            if booking is None:
                self._refuse_unseated(number, entrant, prompt_id, action_id)
                continue
            try:
                action, reason = read_decision(codecs[booking.terms.game.name], decision, limits)
                if reason:
                    self._count_invalid(at)
                    hall.apply_input(booking, booking.table.reject, at, now, entrant, prompt_id, action_id, reason)
                else:
                    answer, note = booking.table.answer, decision.note
                    hall.apply_input(booking, answer, at, now, entrant, prompt_id, action_id, action, note)
            except Exception as fault:
                self._log_failed_decision(decision, fault)
                raise

    def _log_failed_decision(self, decision: Decision, fault: Exception) -> None:
        """Log a fault of ours with all that is needed to find the decision again. What bots hold is not logged."""
        booking = self._node.hall.matches.get(decision.match)
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

    def _refuse_unseated(self, number: int, entrant: int, prompt_id: int, action_id: int) -> None:
        """A decision for a seat that is not this session's gets one answer, outside of any sequence."""
        refusal = DecisionResult(entrant, prompt_id, action_id, DecisionStatus.REFUSED, Refusal.UNKNOWN_PROMPT)
        header = ProtoCodec.encode_header(number, entrant)
        self.outbox.stage(ProtoCodec.encode_message(header, 0, ProtoCodec.encode_answer(refusal)))
        self._node.gate.release_after_flush(self.outbox)

    def _handle_notice(self, notice: play_pb2.BotNotice, at: int, now: int) -> None:
        hall = self._node.hall
        match notice.WhichOneof("notice"):
            case "offer_answer":
                self._answer_offer(notice.offer_answer, at, now)
            case "entropy":
                number, entrant = divmod(notice.entropy.offer_id, _ENTRANTS_PER_MATCH)
                hall.lobby.accept_entropy(self, number, entrant, notice.entropy.entropy, at, now)
            case "ready":
                booking = hall.sessions.find_running(self.key, notice.ready.match, notice.ready.entrant)
                if booking is not None:
                    hall.apply_input(booking, booking.table.mark_ready, at, now, notice.ready.entrant)
            case "leave":
                booking = hall.sessions.find_running(self.key, notice.leave.match, notice.leave.entrant)
                if booking is not None:
                    hall.apply_input(booking, booking.table.leave, at, now, notice.leave.entrant)
            case "goodbye":
                self.is_leaving = True
                self.end("goodbye", "")
            case "pong":
                self._measure_round_trip(notice.pong.nonce, at)
            case _:
                self._count_invalid(at)

    def _answer_offer(self, answer: lobby_pb2.OfferAnswer, at: int, now: int) -> None:
        number, entrant = divmod(answer.offer_id, _ENTRANTS_PER_MATCH)
        try:
            self._node.hall.lobby.answer_offer(self, number, entrant, answer.accept, at, now, answer.entropy_promise)
        except ValueError:
            self._count_invalid(at)

    def _count_invalid(self, at: int) -> None:
        if self._standing.count_invalid(at):
            self.end("too_many_invalid", "too many messages that are none of the protocol")


def _offer_id(booking: HostedMatch, entrant: int) -> int:
    return booking.number * _ENTRANTS_PER_MATCH + entrant
