"""Who is calling, and what may they do: the token in the metadata, nothing else."""

from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from typing import Any, Protocol

from arena.errors import DeniedError

BEARER_PREFIX = "bearer "
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


class TokenCache:
    """Remembers which tokens were found good, so that a call needs no look into the store; an `Authority` itself.

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


class ScopeMissingError(DeniedError):
    """The token is good, but not for this."""


async def identify(metadata: Iterable[Any] | None, authority: TokenVerifier, scope: str) -> CallerIdentity:
    """Whose call this is. Raises DeniedError without a good token, ScopeMissingError without the scope."""
    secret = _bearer_token(metadata or ())
    if not secret:
        raise DeniedError("no token: send it as metadata `authorization: Bearer TOKEN`")
    identity = await authority.check(secret)
    if scope not in identity.scopes:
        has = ", ".join(sorted(identity.scopes))
        raise ScopeMissingError(f"the token of {identity.name!r} is for {has}, this call needs {scope}")
    return identity


def _bearer_token(metadata: Iterable[Any]) -> str:
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(BEARER_PREFIX)].lower() == BEARER_PREFIX:
            return value[len(BEARER_PREFIX) :].strip()
    return ""
