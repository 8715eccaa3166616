"""The session of one bot process: its seats, its outbox and the messages to it that belong to no match.

`PlayService` reads and writes the stream; `FrameHandler` handles incoming frames.
"""

import asyncio
from collections.abc import Callable, Mapping
from enum import Enum

from arena.competition.pools.ports import Notice
from arena.match.feed.gate import Gate
from arena.match.feed.outbox import Outbox
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms
from arena.server.node.bot_line import RoundTrip, Silence
from arena.server.node.event_loop import LONG_WAIT_US, WaitLog
from arena.server.node.limits import Limits
from arena.server.node.rate_limits import RateLimiter
from arena.server.node.read_pause import ReadPause
from arena.server.store.account_values import TokenIdentity
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.notices import (
    encode_assignment,
    encode_entropy_request,
    encode_farewell,
    encode_offer,
    encode_offer_closed,
    encode_ping,
    encode_pool_notice,
    encode_resumed,
    make_offer_id,
)
from arena.server.wire.proto_codec import build_frame, terms_message
from cheatarena.v1 import pool_pb2, session_pb2


class ChallengePolicy(Enum):
    """Whose challenges a bot accepts."""

    OWN = "own"
    """Those of its owner's bots."""
    NOBODY = "nobody"
    EVERYBODY = "everybody"


_CHALLENGE_POLICIES = {
    pool_pb2.CHALLENGE_POLICY_UNSPECIFIED: ChallengePolicy.OWN,
    pool_pb2.CHALLENGE_POLICY_NOBODY: ChallengePolicy.NOBODY,
    pool_pb2.CHALLENGE_POLICY_EVERYBODY: ChallengePolicy.EVERYBODY,
}
"""A policy that this version does not know allows nothing."""


class Session:
    """A connected bot process."""

    def __init__(
        self,
        identity: TokenIdentity,
        instance: str,
        hello: session_pb2.Hello,
        rate_limiter: RateLimiter,
        limits: Limits,
        gate: Gate,
        codecs: Mapping[str, GameCodec],
        now: Callable[[], Instant],
    ) -> None:
        """`instance` is that of `instance_of`. `rate_limiter` comes from the session's earlier streams, or is new.

        `codecs` has the codecs of the playable games by name; `now` returns microseconds since the node started.
        """
        self.key = (identity.name, instance)
        self.capacity = 0 if identity.is_retiring else hello.capacity
        self.is_retiring = identity.is_retiring
        """Whether another version has replaced this one. It keeps its seats, and gets no more."""
        self.owner = identity.owner
        self.is_submitted = identity.version is not None
        """Whether the arena itself runs the program, which an owner has submitted."""
        self.version = hello.version if identity.version is None else identity.version
        """A submitted bot cannot choose what it is called: only its token says which version it is."""
        named = {entry.pool: entry.seats or 1 for entry in hello.pools}
        self.pools: Mapping[str, int] = named or dict.fromkeys(identity.pools, 1)
        """A submitted bot that names none plays in those of its bot.toml: it may not read CHEATARENA_POOLS."""
        self.challenges = _CHALLENGE_POLICIES.get(hello.challenges, ChallengePolicy.NOBODY)
        self._games = {support.game: set(support.presets) for support in hello.games}
        self._limits = limits
        self._gate = gate
        self._codecs = codecs
        self._now = now
        self.ready = asyncio.Event()
        self.sent_message_count = 0
        """How many messages were put into frames. A message counts as one with all that are joined to it."""
        self._seats: set[tuple[int, int]] = set()
        """The match number and entrant of each seat that the session holds."""
        self.outbox = Outbox(self._wake, now, limits.outbox_bytes, limits.outbox_age_us, limits.sent_frame_messages)
        self.outbox.takes_joined_acceptances = hello.takes_joined_acceptances
        self.ended: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        """Resolves to the reason and sentence with which the server ends the stream."""
        self.round_trip = RoundTrip()
        self.silence = Silence(now())
        self.read_pause = ReadPause()
        self._heard = (-1, -1)
        """When the last two frames with decisions arrived, the earlier one first; -1 while there is no such frame."""
        self._waits = WaitLog()
        """The frames that waited unusually long to be sent."""
        self.handle = identity.handle
        """The public part of the session's token."""
        self.expires_at = identity.expires_at
        """When the token expires, in seconds since 1970 by the wall clock; None if it never does."""
        self.is_welcomed = False
        """Whether the welcome has been written to the stream."""
        self.is_leaving = False
        """Whether the bot gives up its seats, because it has said goodbye or its owner is banned."""
        self.fault: Exception | None = None
        """The internal error that occurred while a frame was handled."""
        self.rate_limiter = rate_limiter
        self.outbox.prompt_count = rate_limiter.asked_count

    @property
    def round_trip_us(self) -> int | None:
        """The shortest of the latest round trips in microseconds; None until one is measured."""
        return self.round_trip.shortest_us

    @property
    def heard_at(self) -> Instant:
        """When the latest frame of the bot arrived. The first is its Hello."""
        return self.silence.heard_at

    @property
    def is_waiting_for_bot(self) -> bool:
        """Whether the server has sent the bot everything and reads from it."""
        return self.outbox.is_empty and not self.read_pause.is_full

    @property
    def dropped_count(self) -> int:
        return self.rate_limiter.dropped_count

    def hand_over_rate_limiter(self) -> RateLimiter:
        """Return the rate limiter for the next stream of this session."""
        self.rate_limiter.asked_count = self.outbox.prompt_count
        return self.rate_limiter

    def retire(self) -> None:
        """Take no more seats. Those that the session holds are played to the end."""
        self.is_retiring, self.capacity = True, 0

    def hold_seat(self, number: int, entrant: EntrantIndex) -> None:
        self._seats.add((number, entrant))
        self._resize_outbox()

    def release_seat(self, number: int, entrant: EntrantIndex) -> None:
        self._seats.discard((number, entrant))
        self._resize_outbox()

    def _resize_outbox(self) -> None:
        limits = self._limits
        counted = min(len(self._seats), limits.outbox_seats)
        self.outbox.set_max_bytes(limits.outbox_bytes + limits.outbox_bytes_a_seat * counted)

    # ---- called by the match registry

    def can_play(self, game: str, preset: str) -> bool:
        presets = self._games.get(game)
        return presets is not None and (not presets or preset in presets)

    def describe_games(self) -> str:
        """Return the games and presets that the bot plays, such as "cheat, cheater/cheater"; "no game" if none."""
        played = [
            f"{game}/{preset}" if preset else game
            for game, presets in self._games.items()
            for preset in sorted(presets) or [""]
        ]
        return ", ".join(played) or "no game"

    def offer_seat(self, number: int, terms: Terms, entrant: EntrantIndex, answer_by: Instant) -> None:
        offer_id = make_offer_id(number, entrant)
        if offer_id > self.rate_limiter.last_offer:
            self.rate_limiter.last_offer = offer_id
            self.outbox.prompt_count += 1
        message = terms_message(terms, self._codecs[terms.game.name])
        self.stage(encode_offer(offer_id, number, entrant, message, answer_by))
        if terms.pace.lag_purse and self.round_trip_us is None:
            self.ping(self._now())

    def close_offer(self, number: int, entrant: EntrantIndex, reason: str) -> None:
        self.stage(encode_offer_closed(make_offer_id(number, entrant), reason))

    def ask_entropy(self, number: int, entrant: EntrantIndex, answer_by: Instant) -> None:
        """Ask for the entropy that the bot has promised."""
        offer_id = make_offer_id(number, entrant)
        if offer_id > self.rate_limiter.last_entropy:
            self.rate_limiter.last_entropy = offer_id
            self.outbox.prompt_count += 1
        self.stage(encode_entropy_request(offer_id, answer_by))

    def assign_seat(self, number: int, entrant: EntrantIndex) -> None:
        self.stage(encode_assignment(number, entrant))

    def send_pool_notice(self, notice: Notice) -> None:
        retry_after_ms = int(notice.retry_after_s * 1000)
        self.stage(encode_pool_notice(notice.pool, notice.seats, notice.reason, notice.detail, retry_after_ms))

    def confirm_resumption(self) -> None:
        """Notify the bot that its stream has caught up: it has been sent everything about the seats that it holds.

        A seat that it gets a moment later is in another frame. Bots read the messages of a frame before its notices,
        and would take that seat for one whose match is over.
        """
        self.stage(encode_resumed())
        self.outbox.end_frame()

    def stage(self, message: bytes) -> None:
        """Send a message outside of any match, after everything that was staged before."""
        self.outbox.stage(message)
        self._gate.release_after_flush(self.outbox)

    def end(self, reason: str, detail: str) -> None:
        """End the stream; only the first reason counts."""
        if not self.ended.done():
            self.stage(encode_farewell(reason, detail))
            self.outbox.close()
            self.ended.set_result((reason, detail))

    def expel(self, detail: str) -> None:
        """End the stream for a ban. The bot gives up its seats, so that no table waits for it."""
        self.is_leaving = True
        self.end("token_revoked", detail)

    def ping(self, now: Instant) -> None:
        """Send a ping, also while the journal cannot be written, so that the bot knows that the line lives."""
        self.outbox.prompt_count += 1
        self.silence.ask()
        self.outbox.send_at_once(encode_ping(self.round_trip.start(now)))

    def _wake(self) -> None:
        if self.outbox.is_overfull:
            self.end("too_slow", "the bot does not read what it is sent; it may come back")
        self.ready.set()

    def next_frame(self) -> bytes:
        """Return everything that is ready as one frame; empty if nothing is."""
        since, now = self.outbox.oldest, self._now()
        if since is not None and now - since > LONG_WAIT_US:
            self._waits.record(now, now - since)
        fields = self.outbox.take_frame()
        self.sent_message_count += len(fields)
        if not self.outbox.has_ready:
            self.ready.clear()
        return build_frame(fields, now) if fields else b""

    # ---- conditions for strike records

    def note_decisions(self, at: Instant) -> None:
        """Record the arrival of a frame with decisions."""
        if at != self._heard[1]:
            self._heard = self._heard[1], at

    def last_decisions_before(self, at: Instant) -> int | None:
        """Return when the latest frame with decisions before `at` arrived. Only the last two frames are remembered."""
        heard = next((each for each in reversed(self._heard) if each < at), -1)
        return None if heard < 0 else heard

    def max_send_delay_us(self, since: Instant, now: Instant) -> int:
        """Return the longest wait of a frame that was sent after `since` or still waits to be sent.

        The time is in microseconds; an ordinary wait counts as 0.
        """
        oldest = self.outbox.oldest
        waiting = 0 if oldest is None else now - oldest
        return max(self._waits.longest_since(since), waiting if waiting > LONG_WAIT_US else 0)

    def fail(self, error: Exception) -> None:
        """End the stream after an internal error, in a way that does not look like an ordinary end."""
        self.fault = error
        if not self.ended.done():
            self.ended.set_result(("", ""))
