"""The identity behind a token. Needs no database, so that processes without one can use it."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a token allows its holder to do."""

    PLAY = "play"
    """Sit at tables."""
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
    """The token's public part, so that a revoked token's sessions can be found."""
    expires_at: float | None = None
    """Wall clock, seconds since 1970; None: never."""


@dataclass(frozen=True, slots=True)
class Revocations:
    """Revocations since an earlier revision."""

    revision: int
    """Revision to pass to the next call."""
    handles: tuple[str, ...]
    """Handles of revoked tokens, in the order of revocation."""
