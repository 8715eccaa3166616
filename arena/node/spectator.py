"""One stream of a spectator: an outbox between the gate and the socket, bounded as a bot's is."""

import asyncio
from typing import Protocol

from arena.feed.outbox import Outbox
from arena.match.scalars import Instant
from arena.node.identity import CallerIdentity
from arena.node.limits import Limits
from arena.wire.proto_codec import DEAL_COMMITMENT, build_frame
from arena.wire.protobuf_encoding import encode_delimited


class SpectatorHost(Protocol):
    """What a spectator needs of its node."""

    limits: Limits

    def now(self) -> Instant:
        """Microseconds since the node started."""


class Spectator:
    """Somebody who watches one match."""

    def __init__(self, node: SpectatorHost, identity: CallerIdentity, commitment: bytes) -> None:
        """`commitment` of the match's deal: told first, apart from the facts that bots are told too."""
        self._first = encode_delimited(DEAL_COMMITMENT, commitment)
        self.handle = identity.handle
        """The public part of its token."""
        self.expires_at = identity.expires_at
        """When its token does: wall clock, seconds since 1970; None: never."""
        self.ready = asyncio.Event()
        limits = node.limits
        self.outbox = Outbox(self._wake, node.now, limits.outbox_bytes, limits.outbox_age_us)
        self.ended: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        """Reason and sentence with which the server ends the stream."""
        self._node = node

    def end(self, reason: str, detail: str) -> None:
        """End the stream; only the first reason counts."""
        if not self.ended.done():
            self.ended.set_result((reason, detail))

    def _wake(self) -> None:
        if self.outbox.is_overfull:
            self.end("too_slow", "the spectator does not read what it is sent; it may come back")
        self.ready.set()

    async def next_frame(self) -> bytes:
        """Wait for something to send; empty when nothing will come any more."""
        if self._first:
            first, self._first = self._first, b""
            return build_frame([first], self._node.now())
        while not self.outbox.has_ready:
            if self.outbox.is_done:
                return b""
            self.ready.clear()
            await self.ready.wait()
        return build_frame(self.outbox.take_frame(), self._node.now())
