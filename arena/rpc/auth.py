"""Authenticates callers by the token in the call's metadata."""

from collections.abc import Iterable
from typing import Any

from arena.errors import DeniedError
from arena.node.identity import CallerIdentity, TokenVerifier

BEARER_PREFIX = "bearer "


class ScopeMissingError(DeniedError):
    """Raised when a valid token lacks the required scope."""


async def identify(metadata: Iterable[Any] | None, authority: TokenVerifier, scope: str) -> CallerIdentity:
    """Return the caller's identity. Raises DeniedError without a valid token, ScopeMissingError for a wrong scope."""
    secret = _bearer_token(metadata or ())
    if not secret:
        raise DeniedError("no token: send it as metadata `authorization: Bearer TOKEN`")
    identity = await authority.check(secret)
    if scope not in identity.scopes:
        has = ", ".join(sorted(identity.scopes))
        raise ScopeMissingError(f"the token of {identity.name!r} is for {has}, this call needs {scope}")
    return identity


def _bearer_token(metadata: Iterable[Any]) -> str:
    """Return the token in the metadata of a call; empty if there is none."""
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(BEARER_PREFIX)].lower() == BEARER_PREFIX:
            return value[len(BEARER_PREFIX) :].strip()
    return ""
