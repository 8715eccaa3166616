"""The identity behind a token. This module needs no database, so processes without one can use it."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a token allows its holder to do."""

    PLAY = "play"
    """Take seats and play."""
    ORGANIZE = "organize"
    """Create and cancel matches, and read everything about them."""
    SPECTATE = "spectate"
    """Watch what is public."""


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """The holder of a valid token."""

    name: str
    scopes: frozenset[Scope]
    handle: str
    """The token's public part, by which the sessions of a revoked token are found."""
    expires_at: float | None = None
    """When the token expires: wall clock, seconds since 1970; None: never."""


@dataclass(frozen=True, slots=True)
class Revocations:
    """Revocations since an earlier revision."""

    revision: int
    """The revision to pass to the next query."""
    handles: tuple[str, ...]
    """Handles of revoked tokens, in the order of revocation."""
