"""Ends the streams of banned owners, and of tokens that expired, were revoked, or were rotated a while ago.

It also records when tokens were last used. All uses of a minute are stored together, so that no call waits for the
store.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from arena.errors import BannedError, EnvironmentFaultError, StoreError
from arena.log_lines import get_logger
from arena.server.node.identity import RecordedTokens, TokenCache, TokenVerifier
from arena.server.store.account_values import TokenIdentity

log = get_logger(__name__)

TOKEN_CHECK_INTERVAL_S = 0.5
"""Seconds between checks for revoked and expired tokens."""
KEPT_EXPIRY_S = 60.0
"""Seconds for which the new expiry of a rotated token is kept after it has passed. A stream that opens during the
rotation may know only the old expiry."""


class TokenStream(Protocol):
    @property
    def handle(self) -> str:
        """The public part of the stream's token."""

    @property
    def owner(self) -> str | None:
        """The owner of the stream's token; None if it belongs to nobody."""

    @property
    def expires_at(self) -> float | None:
        """When the token expires, in seconds since 1970 by the wall clock; None if it never does."""

    def end(self, reason: str, detail: str) -> None:
        """End the stream with a reason and a sentence for people."""

    def expel(self, detail: str) -> None:
        """End the stream of somebody who will not come back: a bot gives up its seats."""


class RevokedStreamCloser:
    """Run `run` as a task. It also clears the token cache."""

    def __init__(
        self, open_streams: Callable[[], Iterable[TokenStream]], tokens: RecordedTokens, known: TokenCache
    ) -> None:
        self._open_streams = open_streams
        self._tokens = tokens
        self._known = known
        self._revision = 0
        """The latest revision of revocations that was handled."""
        self._banned: Mapping[str, str] = {}
        """The banned owners that were known at the last check, with the reasons."""
        self._is_store_away = False
        """Whether the last check failed, which is logged once: a database may be away for hours."""
        self._expiries: dict[str, float] = {}
        """By handle: the new expiry of each rotated token. The token's open streams still have the old, later
        expiry."""

    def has_earlier_expiry(self, handle: str) -> bool:
        """Return whether a token ends earlier than it was made for: it was rotated, or its version was replaced."""
        return handle in self._expiries

    async def run(self) -> None:
        """Check for expired and revoked tokens until cancelled."""
        while True:
            await asyncio.sleep(TOKEN_CHECK_INTERVAL_S)
            await self._end_revoked()
            self._end_expired(time.time())

    def _end_expired(self, now_s: float) -> None:
        for stream in self._open_streams():
            expiries = (stream.expires_at, self._expiries.get(stream.handle))
            if any(expiry is not None and expiry <= now_s for expiry in expiries):
                stream.end("token_expired", "the token has expired")
        self._expiries = {each: expiry for each, expiry in self._expiries.items() if expiry + KEPT_EXPIRY_S > now_s}

    async def _end_revoked(self) -> None:
        """End the streams of tokens that any process has revoked since the last check, and those of banned owners.

        Note new expiries.
        """
        try:
            revoked = await self._tokens.revocations_since(self._revision)
        except StoreError as error:
            if not self._is_store_away:
                log.warning("revoked tokens cannot be looked up, trying again", fault=str(error))
            self._is_store_away = True
            self._known.invalidate()
            return
        self._is_store_away = False
        if revoked.handles or revoked.expiries or revoked.banned != self._banned:
            self._known.invalidate()
        for owner in revoked.banned.keys() - self._banned.keys():
            log.info("an owner is banned", owner=owner, because=revoked.banned[owner])
        self._banned = revoked.banned
        self._revision = revoked.revision
        self._expiries |= revoked.expiries
        for stream in self._open_streams():
            if stream.handle in revoked.handles:
                stream.end("token_revoked", "the token was revoked")
            elif stream.owner is not None and stream.owner in revoked.banned:
                stream.expel(str(BannedError(stream.owner, revoked.banned[stream.owner])))


log = get_logger(__name__)

RECORD_INTERVAL_S = 60.0
"""Seconds between two batches."""


class TokenUses:
    """Collects uses of tokens: calls, and streams as long as they are open. Run `run` as a task."""

    def __init__(
        self,
        tokens: RecordedTokens,
        open_streams: Callable[[], Iterable[TokenStream]],
        wall_clock: Callable[[], float],
    ) -> None:
        """`wall_clock` returns seconds since 1970."""
        self._tokens = tokens
        self._open_streams = open_streams
        self._wall_clock = wall_clock
        self._used: dict[str, float] = {}
        """By handle: the latest use of each token that was used since the last batch."""

    def note(self, handle: str) -> None:
        self._used[handle] = self._wall_clock()

    async def run(self) -> None:
        """Record a batch every minute until cancelled."""
        while True:
            await asyncio.sleep(RECORD_INTERVAL_S)
            await self.record()

    async def record(self) -> None:
        """Record all uses since the last batch. If the store cannot be written, the uses wait for the next batch."""
        for stream in self._open_streams():
            self.note(stream.handle)
        used, self._used = self._used, {}
        try:
            await self._tokens.record_uses(used)
        except EnvironmentFaultError as error:
            log.warning("last uses of tokens cannot be recorded, trying again", fault=str(error))
            self._used = used | self._used


class NotedTokens:
    """Verifies tokens and notes their use; implements `TokenVerifier`."""

    def __init__(self, authority: TokenVerifier, uses: TokenUses) -> None:
        self._authority = authority
        self._uses = uses

    async def check(self, secret: str) -> TokenIdentity:
        """Raises DeniedError if no valid token has this secret."""
        identity = await self._authority.check(secret)
        self._uses.note(identity.handle)
        return identity
