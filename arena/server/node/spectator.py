"""The stream of one spectator: an outbox between gate and socket, with the same bounds as a bot's outbox."""

import asyncio
from collections.abc import Callable

from arena.match.feed.outbox import Outbox
from arena.match.referee.scalars import Instant
from arena.server.node.identity import account_of
from arena.server.node.limits import Limits
from arena.server.store.account_values import TokenIdentity
from arena.server.wire.proto_codec import DEAL_COMMITMENT, build_frame
from arena.server.wire.protobuf_encoding import encode_delimited


class Spectator:
    """Watches one match, or one seat of it."""

    def __init__(
        self, limits: Limits, now: Callable[[], Instant], identity: TokenIdentity, commitment: bytes = b""
    ) -> None:
        """`now` returns microseconds since the node started.

        `commitment` is that of the match's deal. It is sent first, since no later message contains it. It is empty for
        the author of a bot, who may not know it before the match ends.
        """
        self._first = encode_delimited(DEAL_COMMITMENT, commitment) if commitment else b""
        self.handle = identity.handle
        """The public part of the token."""
        self.owner = identity.owner
        self.account = account_of(identity)
        """The owner of the token, or its name if it has none."""
        self.expires_at = identity.expires_at
        """When the token expires, in seconds since 1970 by the wall clock; None if it never does."""
        self.ready = asyncio.Event()
        self.outbox = Outbox(self._wake, now, limits.outbox_bytes, limits.outbox_age_us)
        self.ended: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        """Resolves to the reason and sentence with which the server ends the stream."""
        self._now = now

    def end(self, reason: str, detail: str) -> None:
        """End the stream; only the first reason counts."""
        if not self.ended.done():
            self.ended.set_result((reason, detail))

    def expel(self, detail: str) -> None:
        self.end("token_revoked", detail)

    def _wake(self) -> None:
        if self.outbox.is_overfull:
            self.end("too_slow", "the spectator does not read what it is sent; it may come back")
        self.ready.set()

    async def next_frame(self) -> bytes:
        """Return the next frame when there is one; empty when the stream has nothing more to send."""
        if self._first:
            first, self._first = self._first, b""
            return build_frame([first], self._now())
        while not self.outbox.has_ready:
            if self.outbox.is_done:
                return b""
            self.ready.clear()
            await self.ready.wait()
        return build_frame(self.outbox.take_frame(), self._now())
