"""Authenticates callers by the token in the call's metadata."""

from typing import Final

from arena.errors import DeniedError
from arena.server.node.addresses import UNIX_PEER
from arena.server.node.identity import CallerIdentity, TokenVerifier
from arena.server.rpc.caller import Caller

BEARER_PREFIX = "bearer "
ANY_SCOPE: Final = None
"""The scope of a call that every valid token may make."""

_INCLUDED_IN: Final = {"submit": "own"}
"""Scopes that another scope includes: an owner's own token can submit too."""


class ScopeMissingError(DeniedError):
    """Raised when a valid token lacks the required scope."""


async def identify(caller: Caller, authority: TokenVerifier, scope: str | None) -> CallerIdentity:
    """Return the caller's identity. `scope` is what the call needs, or ANY_SCOPE.

    Raises DeniedError without a valid token, ScopeMissingError without the scope. The token of a submitted version is
    valid on a Unix socket alone: its program can print it, and its owner, who reads that, could play with another one.
    """
    secret = _bearer_token(caller)
    if not secret:
        raise DeniedError("no token: send it as metadata `authorization: Bearer TOKEN`")
    identity = await authority.check(secret)
    if identity.version is not None and caller.address != UNIX_PEER:
        raise DeniedError(f"the token of {identity.name!r} is for the box of a submitted bot: it is valid only there")
    if scope is not ANY_SCOPE:
        require_scope(identity, scope)
    caller.identified.note(caller.connection)
    return identity


def require_scope(identity: CallerIdentity, scope: str) -> None:
    """Raise ScopeMissingError if a caller's token lacks a scope."""
    if scope not in identity.scopes and _INCLUDED_IN.get(scope) not in identity.scopes:
        has = ", ".join(sorted(identity.scopes))
        raise ScopeMissingError(f"the token of {identity.name!r} is for {has}, this call needs {scope}")


def _bearer_token(caller: Caller) -> str:
    for key, value in caller.metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(BEARER_PREFIX)].lower() == BEARER_PREFIX:
            return value[len(BEARER_PREFIX) :].strip()
    return ""
