"""Encodes the messages of a feed. Each fact is encoded once.

Encoded facts are joined into messages and frames (play.proto) by hand, without protobuf objects.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any

from arena.match.feed.codec import ViewerSnapshot
from arena.match.game import Style
from arena.match.referee.facts import (
    DealReceipt,
    DealRevealed,
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    StrikeIssued,
)
from arena.match.referee.orders import DecisionResult, DecisionStatus, PromptView
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex, PromptId, StreamSequence
from arena.match.referee.terms import REMEMBERED_TERMS, Seating, Terms
from arena.server.wire.deal_messages import deal_receipt_message, deal_revealed_message
from arena.server.wire.error_reasons import reason_number
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.protobuf_encoding import VARINT, encode_delimited, encode_tag
from cheatarena.v1 import decision_pb2, event_pb2, play_pb2, ruleset_pb2, snapshot_pb2

_EVENT = encode_tag(4, 2)
_PROMPT = encode_tag(5, 2)
_WITHDRAWN = encode_tag(6, 0)
_ANSWER = encode_tag(7, 2)
_SNAPSHOT = encode_tag(8, 2)
_JOINED_COUNT = encode_tag(9, 0)
_PROMPT_ID, _ACTION_ID, _STATUS = encode_tag(1, 0), encode_tag(2, 0), encode_tag(3, 0)
_DEADLINE, _EARLIEST, _LANDS = encode_tag(2, 0), encode_tag(3, 0), encode_tag(4, 0)
_STATUS_ACCEPTED = _STATUS + VARINT[decision_pb2.DECISION_STATUS_ACCEPTED]
_ACCEPTED_SIZE = len(_PROMPT_ID + _ACTION_ID + _STATUS_ACCEPTED)
_MATCH, _ENTRANT, _SEQUENCE = encode_tag(1, 0), encode_tag(2, 0), encode_tag(3, 0)
_MESSAGE, _NOW, NOTICE = encode_tag(1, 2), encode_tag(2, 0), encode_tag(3, 2)
DEAL_COMMITMENT = encode_tag(3, 2)
"""Tag of the deal's commitment in a spectator's frame."""

_MAX_CACHED = 2048
"""The largest number of encoded values of one type in a cache; a full cache is emptied."""

_STATUSES = {
    DecisionStatus.ACCEPTED: decision_pb2.DECISION_STATUS_ACCEPTED,
    DecisionStatus.HELD: decision_pb2.DECISION_STATUS_HELD,
    DecisionStatus.LANDED: decision_pb2.DECISION_STATUS_LANDED,
    DecisionStatus.HOLD_CANCELLED: decision_pb2.DECISION_STATUS_HOLD_CANCELLED,
    DecisionStatus.REFUSED: decision_pb2.DECISION_STATUS_REFUSED,
}
SEATINGS = {Seating.FIXED: ruleset_pb2.SEATING_FIXED, Seating.ROTATED: ruleset_pb2.SEATING_ROTATED}
PACE_STYLES = {Style.LIVE: ruleset_pb2.PACE_STYLE_LIVE, Style.SEALED: ruleset_pb2.PACE_STYLE_SEALED}


class _CachingEncoder:
    """Encodes values of one type. Caches the results by the values' fields, because the same few values recur often."""

    def __init__(self, kind: type, encode: Callable[[Any], bytes]) -> None:
        self._encode = encode
        names = [field.name for field in fields(kind)]
        self._read_fields: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: None
        self._encoded: dict[Any, bytes] = {}

    def encode(self, value: Any) -> bytes:
        key = self._read_fields(value)
        raw = self._encoded.get(key)
        if raw is None:
            if len(self._encoded) >= _MAX_CACHED:
                self._encoded.clear()
            raw = self._encoded[key] = self._encode(value)
        return raw


class ProtoCodec:
    """Implements `arena.match.feed.codec.Codec` for the matches of one game."""

    def __init__(self, game: GameCodec) -> None:
        self._game = game
        self._facts = {
            kind: self._encode_fact if kind in game.hands else _CachingEncoder(kind, self._encode_fact).encode
            for kind in game.facts
        }
        self._options: dict[type, _CachingEncoder] = {}

    def encode_match_started(self, terms: Terms) -> bytes:
        return _encode_match_started(terms, self._game)

    @staticmethod
    def encode_entrant_seed(seed: bytes) -> bytes:
        """Return the encoded `EntrantSeed` fact, which contains the receiver's own seed and is private."""
        return _encode_event(event_pb2.Event(entrant_seed=event_pb2.EntrantSeed(seed=seed)))

    @staticmethod
    def encode_receipt(receipt: DealReceipt) -> bytes:
        return _encode_event(event_pb2.Event(deal_receipt=deal_receipt_message(receipt)))

    @staticmethod
    def encode_announcement(fact: Any) -> bytes:
        """`fact` is one of `referee.facts`. Raises TypeError for any other value."""
        match fact:
            case GameStarted():
                started = event_pb2.GameStarted(game=fact.game, entrants=bytes(fact.entrants))
                event = event_pb2.Event(game_started=started)
            case GameEnded():
                ended = event_pb2.GameEnded(game=fact.game, places=bytes(fact.places), termination=fact.termination)
                event = event_pb2.Event(game_ended=ended)
            case IntermissionStarted():
                intermission = event_pb2.IntermissionStarted(until_us=fact.until)
                event = event_pb2.Event(intermission_started=intermission)
            case DealRevealed():
                event = event_pb2.Event(deal_revealed=deal_revealed_message(fact))
            case MatchEnded():
                match_ended = event_pb2.MatchEnded(termination=fact.termination, place_sums=fact.place_sums)
                event = event_pb2.Event(match_ended=match_ended)
            case _:
                raise TypeError(f"no message for {type(fact).__name__}")
        return _encode_event(event)

    @staticmethod
    def encode_strike(struck: StrikeIssued) -> bytes:
        """Return the encoded `Fault` fact that reports a strike and is private."""
        fault = event_pb2.Fault(
            kind=event_pb2.FaultKind.Value(f"FAULT_KIND_{struck.kind.name}"),
            prompt_id=struck.prompt_id,
            reason=reason_number(struck.reason),
        )
        return _encode_event(event_pb2.Event(fault=fault))

    def encode_game_fact(self, part: Any) -> bytes:
        return self._facts[type(part)](part)

    def encode_prompt(self, view: PromptView) -> bytes:
        """Return a prompt as a field of a message: its id and times, then what it offers."""
        kind = type(view.options)
        encoder = self._options.get(kind) or self._options.setdefault(kind, _CachingEncoder(kind, self._encode_options))
        return encode_delimited(_PROMPT, _encode_prompt_times(view) + encoder.encode(view.options))

    @staticmethod
    def encode_withdrawal(prompt_id: PromptId) -> bytes:
        """Return a closed prompt as a field of a message."""
        return _WITHDRAWN + VARINT[prompt_id]

    @staticmethod
    def encode_answer(answer: DecisionResult) -> bytes:
        """Return the result of a decision as a field of a message."""
        # Almost every decision is accepted, so this result is joined by hand, which is faster.
        if answer.status is DecisionStatus.ACCEPTED:
            prompt_id, action_id = VARINT[answer.prompt_id], VARINT[answer.action_id]
            size = _ACCEPTED_SIZE + len(prompt_id) + len(action_id)
            return b"".join((_ANSWER, VARINT[size], _PROMPT_ID, prompt_id, _ACTION_ID, action_id, _STATUS_ACCEPTED))
        return encode_delimited(_ANSWER, _answer_message(answer).SerializeToString())

    @staticmethod
    def encode_joined_count(count: int) -> bytes:
        """Return the number of joined messages as a field of a message."""
        return _JOINED_COUNT + VARINT[count]

    def encode_snapshot(self, snapshot: ViewerSnapshot) -> bytes:
        """Return, as a field of a message, everything that the receiver may know."""
        prompts = []
        for view, _ in snapshot.prompts:
            prompt = decision_pb2.Prompt.FromString(_encode_prompt_times(view))
            self._game.put_options(prompt, view.options)
            prompts.append(prompt)
        message = snapshot_pb2.SeatSnapshot(
            events=play_pb2.SeatMessage.FromString(b"".join(snapshot.facts)).events,
            prompts=prompts,
            answered=[view.id for view, is_answered in snapshot.prompts if is_answered],
            answers=[_answer_message(answer) for answer in snapshot.answers],
        )
        if snapshot.game is not None:
            self._game.put_snapshot(message, snapshot.game)
        return encode_delimited(_SNAPSHOT, message.SerializeToString())

    @staticmethod
    def encode_header(match: int, entrant: EntrantIndex) -> bytes:
        """Return the first bytes of every message to one viewer, up to the tag of its sequence."""
        return _MATCH + VARINT[match] + (_ENTRANT + VARINT[entrant] if entrant else b"") + _SEQUENCE

    @staticmethod
    def encode_message(header: bytes, sequence: StreamSequence, body: bytes) -> bytes:
        """Return a message as a field of a frame."""
        number = VARINT[sequence]
        return b"".join((_MESSAGE, VARINT[len(header) + len(number) + len(body)], header, number, body))

    def _encode_fact(self, part: Any) -> bytes:
        return _encode_event(self._game.facts[type(part)](part))

    def _encode_options(self, options: Any) -> bytes:
        message = decision_pb2.Prompt()
        self._game.put_options(message, options)
        return message.SerializeToString()


@lru_cache(REMEMBERED_TERMS)
def _encode_match_started(terms: Terms, game: GameCodec) -> bytes:
    return _encode_event(event_pb2.Event(match_started=event_pb2.MatchStarted(terms=terms_message(terms, game))))


def _encode_event(event: event_pb2.Event) -> bytes:
    """Return an event as a field of a message."""
    return encode_delimited(_EVENT, event.SerializeToString())


def _encode_prompt_times(view: PromptView) -> bytes:
    """Return the fields of a prompt except what it offers."""
    times = _PROMPT_ID + VARINT[view.id]
    if view.deadline is not None:
        times += _DEADLINE + VARINT[view.deadline]
    if view.earliest is not None:
        times += _EARLIEST + VARINT[view.earliest]
    if view.lands is not None:
        times += _LANDS + VARINT[view.lands]
    return times


def build_frame(fields: Sequence[bytes], now_us: int) -> bytes:
    """`fields` are encoded messages and notices; `now_us` is the node's time in microseconds."""
    return b"".join((*fields, _NOW, VARINT[now_us]))


@lru_cache(REMEMBERED_TERMS)
def terms_message(terms: Terms, game: GameCodec) -> ruleset_pb2.MatchTerms:
    """`game` is the codec of their game. Equal terms share one message, so callers must not change it."""
    hidden = [""] * len(terms.entrants)
    ruleset = ruleset_pb2.Ruleset(preset=terms.preset, version=terms.game.version)
    game.put_ruleset(ruleset, terms.ruleset)
    return ruleset_pb2.MatchTerms(
        ruleset=ruleset,
        pace=pace_message(terms.pace),
        entrants=hidden if terms.anonymous else terms.entrants,
        game_count=terms.game_count,
        seating=SEATINGS[terms.seating],
        rated=terms.rated,
    )


def pace_message(pace: Pace) -> ruleset_pb2.Pace:
    return ruleset_pb2.Pace(
        style=PACE_STYLES[pace.style],
        turn_ms=pace.turn_ms,
        call_ms=pace.call_ms,
        min_call_ms=pace.min_call_ms,
        intermission_ms=pace.intermission_ms,
        fixed_window=pace.fixed_window,
        max_auto_moves=pace.max_auto_moves,
        reconnect_grace_ms=pace.reconnect_grace_ms,
        no_deadlines=pace.no_deadlines,
        dispute_ms=pace.dispute_ms,
        lag_purse=pace.lag_purse,
    )


def _answer_message(answer: DecisionResult) -> decision_pb2.DecisionAnswer:
    return decision_pb2.DecisionAnswer(
        prompt_id=answer.prompt_id,
        action_id=answer.action_id,
        status=_STATUSES[answer.status],
        reason=reason_number(answer.reason),
        late_us=min(answer.late_us, 0xFFFF_FFFF),
        retry_at_us=answer.retry_at,
    )
