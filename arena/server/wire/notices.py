"""Encodes notices as fields of a frame. A notice tells a session something outside the feeds of its matches."""

from arena.match.referee.scalars import EntrantIndex, Instant
from arena.server.wire.error_reasons import reason_number
from arena.server.wire.proto_codec import NOTICE
from arena.server.wire.protobuf_encoding import encode_delimited
from cheatarena.v1 import lobby_pb2, play_pb2, pool_pb2, ruleset_pb2, session_pb2

_ENTRANTS_PER_MATCH = 256
"""A match has fewer entrants than this; the id of an offer is match number * 256 + entrant."""


def make_offer_id(match: int, entrant: EntrantIndex) -> int:
    """Return the id of a seat's offer."""
    return match * _ENTRANTS_PER_MATCH + entrant


def split_offer_id(offer_id: int) -> tuple[int, EntrantIndex]:
    number, entrant = divmod(offer_id, _ENTRANTS_PER_MATCH)
    return number, EntrantIndex(entrant)


def encode_offer(
    offer_id: int, match: int, entrant: EntrantIndex, terms: ruleset_pb2.MatchTerms, answer_by: Instant
) -> bytes:
    offered = lobby_pb2.Offered(offer_id=offer_id, match=match, entrant=entrant, terms=terms, answer_by_us=answer_by)
    return _encode(play_pb2.ServerNotice(offered=offered))


def encode_offer_closed(offer_id: int, reason: str) -> bytes:
    """The reason is in lower case."""
    closed = lobby_pb2.OfferClosed(offer_id=offer_id, reason=reason_number(reason))
    return _encode(play_pb2.ServerNotice(offer_closed=closed))


def encode_entropy_request(offer_id: int, answer_by: Instant) -> bytes:
    """Return the notice that asks for the entropy that the bot has promised."""
    asked = lobby_pb2.EntropyAsked(offer_id=offer_id, answer_by_us=answer_by)
    return _encode(play_pb2.ServerNotice(entropy_asked=asked))


def encode_assignment(match: int, entrant: EntrantIndex) -> bytes:
    return _encode(play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=match, entrant=entrant)))


def encode_resumed() -> bytes:
    """Return the notice that the stream has caught up."""
    return _encode(play_pb2.ServerNotice(resumed=session_pb2.Resumed()))


def encode_pool_notice(pool: str, seats: int, reason: str, detail: str, retry_after_ms: int) -> bytes:
    """The reason is in lower case."""
    notice = pool_pb2.PoolNotice(
        pool=pool,
        seats=seats,
        reason=pool_pb2.PoolReason.Value(f"POOL_REASON_{reason.upper()}"),
        detail=detail,
        retry_after_ms=retry_after_ms,
    )
    return _encode(play_pb2.ServerNotice(pool_notice=notice))


def encode_farewell(reason: str, detail: str) -> bytes:
    """Return the notice that the server will end the stream, with the reason in lower case and a sentence."""
    farewell = session_pb2.Farewell(reason=reason_number(reason), detail=detail)
    return _encode(play_pb2.ServerNotice(farewell=farewell))


def encode_ping(nonce: int) -> bytes:
    """Return a ping that asks for a pong with this nonce."""
    return _encode(play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=nonce)))


def _encode(notice: play_pb2.ServerNotice) -> bytes:
    return encode_delimited(NOTICE, notice.SerializeToString())
