"""Who a caller is, by its token, and a cache of tokens that were found good."""

from collections.abc import Callable, Collection
from hashlib import sha256
from typing import Protocol

MAX_CACHED_TOKENS = 1024
"""So many checked tokens are remembered."""


class CallerIdentity(Protocol):
    """Whose token was shown."""

    @property
    def name(self) -> str:
        """The bot or person that the token stands for."""

    @property
    def scopes(self) -> Collection[str]:
        """`play`, `organize`, `spectate`."""

    @property
    def handle(self) -> str:
        """The token's public part."""

    @property
    def expires_at(self) -> float | None:
        """When the token does: wall clock, seconds since 1970; None: never."""


class TokenVerifier(Protocol):
    """Knows the tokens."""

    async def check(self, secret: str) -> CallerIdentity:
        """Whose secret this is. Raises DeniedError."""


class RevokedTokens(Protocol):
    """What was revoked since somebody looked last."""

    @property
    def revision(self) -> int:
        """To be given the next time."""

    @property
    def handles(self) -> Collection[str]:
        """Public parts of the tokens."""


class RevocableTokens(TokenVerifier, Protocol):
    """Knows the tokens, and those that are good no more."""

    async def revocations_since(self, revision: int) -> RevokedTokens:
        """Give what any process revoked after a revision, 0 being before the first. Raises StoreError."""


class TokenCache:
    """Remembers which tokens were found good, so that a call needs no look into the store; an `TokenVerifier` itself.

    Whoever looks for revoked tokens now and then calls `forget` when there were any, or when it cannot know.
    """

    def __init__(self, authority: TokenVerifier, wall_clock: Callable[[], float]) -> None:
        """`wall_clock` gives seconds since 1970."""
        self._authority = authority
        self._wall_clock = wall_clock
        self._known: dict[bytes, CallerIdentity] = {}
        """By the hash of the secret, which is kept nowhere."""

    async def check(self, secret: str) -> CallerIdentity:
        """Whose secret this is. Raises DeniedError."""
        digest = sha256(secret.encode()).digest()
        known = self._known
        identity = known.get(digest)
        if identity is not None and (identity.expires_at is None or self._wall_clock() < identity.expires_at):
            return identity
        identity = await self._authority.check(secret)
        if known is self._known:  # else a token was revoked meanwhile: it may be this one
            if len(known) >= MAX_CACHED_TOKENS:
                known.clear()
            known[digest] = identity
        return identity

    def invalidate(self) -> None:
        """Some token is good no more: look each up again."""
        self._known = {}
