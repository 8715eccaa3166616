"""Identifies callers by their tokens and caches the tokens that were found valid."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final, Protocol

from arena.errors import ProtocolError
from arena.server.store.account_values import Revocations, TokenIdentity

MAX_CACHED_TOKENS = 1024
"""The largest number of verified tokens in the cache."""


SUBMITTED_INSTANCE: Final = "submitted:"
"""How the instances of submitted versions begin. No other program may have such an instance."""
LEAGUE_INSTANCE_PREFIX: Final = "league:"
"""How the instances of programs begin that a server starts for a league. Only their league seats them."""


def instance_of(caller: TokenIdentity, wanted: str) -> str:
    """`wanted` is what the Hello of the session says. Raises ProtocolError.

    A submitted version has one instance, whatever it says, and nobody else can have it. So its games are played by the
    program that was submitted.
    """
    if caller.version is not None:
        return f"{SUBMITTED_INSTANCE}{caller.version}"
    if wanted.startswith(SUBMITTED_INSTANCE):
        raise ProtocolError(f"the instance {wanted!r} is that of a submitted bot: choose another one")
    return wanted


def account_of(caller: TokenIdentity) -> str:
    """Return the key under which limits count a caller: the owner of the token or, without an owner, the name."""
    return f"bot {caller.name}" if caller.owner is None else f"owner {caller.owner}"


class TokenVerifier(Protocol):
    async def check(self, secret: str) -> TokenIdentity:
        """Raises DeniedError if no valid token has this secret."""


class RecordedTokens(TokenVerifier, Protocol):
    async def revocations_since(self, revision: int) -> Revocations:
        """Return what any process revoked or rotated. Revision 0 returns all. Raises StoreError."""

    async def record_uses(self, uses: Mapping[str, float]) -> None:
        """The uses are in seconds since 1970, by handle. Raises StoreError."""


class TokenCache:
    """Caches valid tokens, so that most calls need no access to the store; implements `TokenVerifier`.

    The task that looks for revoked tokens calls `invalidate` when it finds any, or when the store cannot be read.
    """

    def __init__(self, authority: TokenVerifier, wall_clock: Callable[[], float]) -> None:
        """`wall_clock` returns seconds since 1970."""
        self._authority = authority
        self._wall_clock = wall_clock
        self._known: dict[bytes, TokenIdentity] = {}
        """The identities by the hash of the secret; the secret itself is not stored."""

    async def check(self, secret: str) -> TokenIdentity:
        """Raises DeniedError if no valid token has this secret."""
        digest = sha256(secret.encode()).digest()
        known = self._known
        identity = known.get(digest)
        if identity is not None and (identity.expires_at is None or self._wall_clock() < identity.expires_at):
            return identity
        identity = await self._authority.check(secret)
        if known is self._known:  # otherwise a token was revoked meanwhile, and this may be that token
            if len(known) >= MAX_CACHED_TOKENS:
                known.clear()
            known[digest] = identity
        return identity

    def invalidate(self) -> None:
        """Forget all tokens, because one of them may no longer be valid."""
        self._known = {}
