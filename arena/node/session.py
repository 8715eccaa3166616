"""One session of a bot process: its seats, its outbox, what it is told outside of matches.

`PlayService` reads and writes the stream; `FrameHandler` handles what comes in.
"""

import asyncio
from collections.abc import Mapping
from typing import Protocol

from arena.feed.gate import Gate
from arena.feed.outbox import Outbox
from arena.match.scalars import EntrantIndex, Instant
from arena.node.hosted_match import HostedMatch
from arena.node.identity import CallerIdentity
from arena.node.limits import Limits
from arena.node.match_registry import MatchRegistry
from arena.node.rate_limiter import RateLimiter
from arena.node.round_trip import RoundTrip
from arena.node.wait_log import LONG_WAIT_US, WaitLog
from arena.wire.game_codec import GameCodec
from arena.wire.notices import (
    encode_assignment,
    encode_entropy_request,
    encode_farewell,
    encode_offer,
    encode_offer_closed,
    encode_ping,
    make_offer_id,
)
from arena.wire.proto_codec import build_frame, terms_message
from cheatarena.v1 import session_pb2


class SessionHost(Protocol):
    """What a session needs of its node."""

    hall: MatchRegistry
    gate: Gate
    limits: Limits
    game_codecs: Mapping[str, GameCodec]
    """The games that can be played here, by name."""

    def now(self) -> Instant:
        """Microseconds since the node started."""


class Session:
    """A connected bot process; implements `arena.node.hosted_match.BotSession`."""

    def __init__(
        self, node: SessionHost, identity: CallerIdentity, hello: session_pb2.Hello, rate_limiter: RateLimiter
    ) -> None:
        """`rate_limiter`: as its earlier streams have left it, or a new one."""
        self.key = (identity.name, hello.instance)
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
        self.round_trip = RoundTrip()
        self._heard = (-1, -1)
        """When the last two frames with decisions came, the earlier one first; -1: none did."""
        self._waits = WaitLog()
        """Of frames that waited long to leave."""
        self.handle = identity.handle
        """The public part of its token."""
        self.expires_at = identity.expires_at
        """When its token does: wall clock, seconds since 1970; None: never."""
        self.is_leaving = False
        """It has said goodbye."""
        self.fault: Exception | None = None
        """What went wrong here while a frame was dealt with."""
        self.rate_limiter = rate_limiter
        self.outbox.prompt_count = rate_limiter.asked_count

    @property
    def dropped_count(self) -> int:
        """How many of its messages were dropped."""
        return self.rate_limiter.dropped_count

    def hand_over_rate_limiter(self) -> RateLimiter:
        """What the next stream of this session goes on with."""
        self.rate_limiter.asked_count = self.outbox.prompt_count
        return self.rate_limiter

    def hold_seat(self, number: int, entrant: EntrantIndex) -> None:
        """It has taken a seat: more may wait for it."""
        self._seats.add((number, entrant))
        self._resize_outbox()

    def release_seat(self, number: int, entrant: EntrantIndex) -> None:
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

    def offer_seat(self, booking: HostedMatch, entrant: EntrantIndex, answer_by: Instant) -> None:
        """Offer it a seat."""
        offer_id = make_offer_id(booking.number, entrant)
        if offer_id > self.rate_limiter.last_offer:
            self.rate_limiter.last_offer = offer_id
            self.outbox.prompt_count += 1
        terms = terms_message(booking.terms, self._node.game_codecs[booking.terms.game.name])
        self.stage(encode_offer(offer_id, booking.number, entrant, terms, answer_by))

    def close_offer(self, booking: HostedMatch, entrant: EntrantIndex, reason: str) -> None:
        """Tell it that an offer is gone."""
        self.stage(encode_offer_closed(make_offer_id(booking.number, entrant), reason))

    def ask_entropy(self, booking: HostedMatch, entrant: EntrantIndex, answer_by: Instant) -> None:
        """Ask for the entropy that it has promised."""
        offer_id = make_offer_id(booking.number, entrant)
        if offer_id > self.rate_limiter.last_entropy:
            self.rate_limiter.last_entropy = offer_id
            self.outbox.prompt_count += 1
        self.stage(encode_entropy_request(offer_id, answer_by))

    def assign_seat(self, number: int, entrant: EntrantIndex) -> None:
        """Tell it where its table is: here."""
        self.stage(encode_assignment(number, entrant))

    def stage(self, message: bytes) -> None:
        """Send something outside of any match, after everything that was staged before."""
        self.outbox.stage(message)
        self._node.gate.release_after_flush(self.outbox)

    def end(self, reason: str, detail: str) -> None:
        """End the stream; only the first reason counts."""
        if not self.ended.done():
            self.stage(encode_farewell(reason, detail))
            self.outbox.close()
            self.ended.set_result((reason, detail))

    def ping(self, now: Instant) -> None:
        """Ask for a pong."""
        self.outbox.prompt_count += 1
        self.stage(encode_ping(self.round_trip.start(now)))

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

    def note_decisions(self, at: Instant) -> None:
        """A frame with decisions has come."""
        if at != self._heard[1]:
            self._heard = self._heard[1], at

    def last_decisions_before(self, at: Instant) -> int | None:
        """When its last decisions came that came before an instant; None: none of the last two frames did."""
        heard = next((each for each in reversed(self._heard) if each < at), -1)
        return None if heard < 0 else heard

    def max_send_delay_us(self, since: Instant, now: Instant) -> int:
        """How long frames waited to leave after an instant, at most; one that still waits too. The ordinary is 0."""
        oldest = self.outbox.oldest
        waiting = 0 if oldest is None else now - oldest
        return max(self._waits.longest_since(since), waiting if waiting > LONG_WAIT_US else 0)

    def fail(self, fault: Exception) -> None:
        """A fault of ours ends the stream, and must not pass for the end of it."""
        self.fault = fault
        if not self.ended.done():
            self.ended.set_result(("", ""))
