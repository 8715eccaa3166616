"""Who is calling, and what may they do: the token in the metadata, nothing else."""

from collections.abc import Iterable
from typing import Any

from arena.errors import DeniedError
from arena.node.identity import CallerIdentity, TokenVerifier

BEARER_PREFIX = "bearer "


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
