"""Records when tokens were last used. All uses of a minute are stored together, so that no call waits for the store."""

import asyncio
from collections.abc import Callable, Iterable

from arena.errors import EnvironmentFaultError
from arena.log_lines import get_logger
from arena.server.node.identity import CallerIdentity, RecordedTokens, TokenVerifier
from arena.server.node.revoked_streams import TokenStream

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
        """Note that a token is used now."""
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

    async def check(self, secret: str) -> CallerIdentity:
        """Return the identity of a token's secret. Raises DeniedError if no valid token has this secret."""
        identity = await self._authority.check(secret)
        self._uses.note(identity.handle)
        return identity
