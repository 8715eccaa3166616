"""Who is calling, and what may they do: the token in the metadata, nothing else."""

from collections.abc import Collection, Iterable
from typing import Any, Protocol

from arena.errors import DeniedError

BEARER = "bearer "


class Identity(Protocol):
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


class Authority(Protocol):
    """Knows the tokens."""

    async def check(self, secret: str) -> Identity:
        """Whose secret this is. Raises DeniedError."""


class ScopeMissingError(DeniedError):
    """The token is good, but not for this."""


async def identify(metadata: Iterable[Any] | None, authority: Authority, scope: str) -> Identity:
    """Whose call this is. Raises DeniedError without a good token, ScopeMissingError without the scope."""
    secret = _secret(metadata or ())
    if not secret:
        raise DeniedError("no token: send it as metadata `authorization: Bearer TOKEN`")
    identity = await authority.check(secret)
    if scope not in identity.scopes:
        has = ", ".join(sorted(identity.scopes))
        raise ScopeMissingError(f"the token of {identity.name!r} is for {has}, this call needs {scope}")
    return identity


def _secret(metadata: Iterable[Any]) -> str:
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(BEARER)].lower() == BEARER:
            return value[len(BEARER) :].strip()
    return ""
