"""Handles the frames of one session in steps, which the inbox runs one after the other.

Handling is synchronous: no task is created for a decision.
"""

from collections.abc import Iterator, Sequence

from google.protobuf.message import DecodeError

from arena.log_lines import get_logger
from arena.match.referee.inputs import Leave, Ready, Reject
from arena.match.referee.orders import DecisionResult, DecisionStatus, Refusal
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId, StreamSequence
from arena.server.node.node import Node
from arena.server.node.read_pause import ReadPause
from arena.server.node.session import Session
from arena.server.wire.bot_frames import BotFrame, SentDecision
from arena.server.wire.notices import split_offer_id
from arena.server.wire.proto_codec import ProtoCodec
from cheatarena.v1 import play_pb2

log = get_logger(__name__)

DECISIONS_PER_STEP = 16
"""The number of decisions that one step handles."""


class FrameHandler:
    def __init__(self, node: Node, session: Session, pause: ReadPause) -> None:
        """`pause` is told what waits to be handled, and whether the session exceeds its rate limit."""
        self._node = node
        self._session = session
        self._pause = pause

    def frame_steps(self, raw: bytes, at: Instant) -> Iterator[None]:
        """The steps of a frame that arrived at `at`; each handles some decisions.

        Messages beyond the rate limit are dropped and count as one invalid message. A frame is ignored if another
        stream has taken over the session.
        """
        self._pause.add_frame(len(raw))
        return self._frame_steps(raw, at)

    def _frame_steps(self, raw: bytes, at: Instant) -> Iterator[None]:
        try:
            if self._node.registry.sessions.by_key.get(self._session.key) is self._session:
                yield from self._handle_frame(raw, at)
        finally:
            self._pause.remove_frame(len(raw))

    def _handle_frame(self, raw: bytes, at: Instant) -> Iterator[None]:
        try:
            frame = BotFrame(raw)
        except DecodeError:
            self._count_invalid(at)
            return
        decision_count, notices = frame.decision_count, frame.notices
        item_count, max_items = decision_count + len(notices), self._node.limits.frame_items
        if item_count > max_items:
            self._count_invalid(at)
            self._session.end("too_many_invalid", f"a frame may hold {max_items} decisions and notices")
            return
        allowed = self._session.rate_limiter.grant(
            self._node.now(), self._session.outbox.prompt_count, max(1, item_count)
        )
        if allowed < max(1, item_count):
            self._pause.has_flooded = True
            self._count_invalid(at)
            notices = notices[: max(0, allowed - decision_count)]
            decision_count = min(decision_count, allowed)
        for first in range(0, decision_count, DECISIONS_PER_STEP):
            decisions = frame.read_decisions(first, min(first + DECISIONS_PER_STEP, decision_count))
            self._handle_decisions(decisions, at, self._node.now())
            yield
        for notice in notices:
            self._handle_notice(notice, at, self._node.now())
            yield

    def _handle_decisions(self, decisions: Sequence[SentDecision], at: Instant, now: Instant) -> None:
        registry, readers = self._node.registry, self._node.decision_readers
        self._session.note_decisions(at)
        for decision in decisions:
            hosted = registry.sessions.find_running(self._session.key, decision[0], EntrantIndex(decision[1]))
            if hosted is None:
                self._refuse_unseated(decision)
                continue
            try:
                entry = readers[hosted.terms.game.name].read_input(decision, at, now)
                if type(entry) is Reject:
                    self._count_invalid(at)
                registry.apply_input(hosted, entry)
            except Exception as error:
                self._log_failed_decision(decision, error)
                raise

    def _log_failed_decision(self, decision: SentDecision, error: Exception) -> None:
        """Log what identifies the decision. Hands are not logged."""
        number, entrant_number, prompt_id, *_ = decision
        hosted, entrant = self._node.registry.matches.get(number), EntrantIndex(entrant_number)
        referee = None if hosted is None else hosted.table.referee
        log.error(
            "decision failed",
            exc_info=error,
            match=None if hosted is None else hosted.match_id,
            game=None if referee is None else len(referee.results),
            seat=None if referee is None else referee.seat_of(entrant),
            sequence=None if hosted is None else hosted.feed.sequence_of(entrant),
            prompt=prompt_id,
        )

    def _refuse_unseated(self, decision: SentDecision) -> None:
        """The refusal of a decision for a seat that the session does not hold has the sequence number 0."""
        number, entrant_number, prompt_id, action_id, *_ = decision
        entrant = EntrantIndex(entrant_number)
        status, reason = DecisionStatus.REFUSED, Refusal.UNKNOWN_PROMPT
        refusal = DecisionResult(entrant, PromptId(prompt_id), action_id, status, reason)
        header = ProtoCodec.encode_header(number, entrant)
        self._session.stage(ProtoCodec.encode_message(header, StreamSequence(0), ProtoCodec.encode_answer(refusal)))

    def _handle_notice(self, notice: play_pb2.BotNotice, at: Instant, now: Instant) -> None:
        registry = self._node.registry
        match notice.WhichOneof("notice"):
            case "offer_answer":
                answer = notice.offer_answer
                number, entrant = split_offer_id(answer.offer_id)
                try:
                    registry.lobby.answer_offer(
                        self._session, number, entrant, answer.accept, at, now, answer.entropy_promise
                    )
                except ValueError:
                    self._count_invalid(at)
            case "entropy":
                number, entrant = split_offer_id(notice.entropy.offer_id)
                registry.lobby.accept_entropy(self._session, number, entrant, notice.entropy.entropy, at, now)
            case "ready" | "leave" as kind:
                seat, input_class = (notice.ready, Ready) if kind == "ready" else (notice.leave, Leave)
                entrant = EntrantIndex(seat.entrant)
                hosted = registry.sessions.find_running(self._session.key, seat.match, entrant)
                if hosted is not None:
                    registry.apply_input(hosted, input_class(at, now, entrant))
            case "goodbye":
                self._session.is_leaving = True
                self._session.end("goodbye", "")
            case "pong":
                self._session.round_trip.end(notice.pong.nonce, at)
                for hosted, entrant in registry.sessions.seats_of(self._session.key):
                    hosted.record_round_trip(entrant, self._session.round_trip_us, at, now)
            case _:
                self._count_invalid(at)

    def _count_invalid(self, at: Instant) -> None:
        if self._session.rate_limiter.count_invalid(at):
            self._session.end("too_many_invalid", "too many messages that are not part of the protocol")
