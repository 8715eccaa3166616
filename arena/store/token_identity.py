"""The identity behind a token. This module needs no database, so processes without one can use it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Scope(StrEnum):
    """What a token allows its holder to do."""

    PLAY = "play"
    """Take seats and play."""
    ORGANIZE = "organize"
    """Create and cancel matches, and read everything about them."""
    SPECTATE = "spectate"
    """Watch what is public."""
    OWN = "own"
    """Create bots of one's own, and their tokens. Only owners have such tokens."""


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """The holder of a valid token."""

    name: str
    scopes: frozenset[Scope]
    handle: str
    """The token's public part, by which the sessions of a revoked token are found."""
    expires_at: float | None = None
    """When the token expires: wall clock, seconds since 1970; None: never."""
    owner: str | None = None
    """Who the token belongs to; None: nobody in particular."""


@dataclass(frozen=True, slots=True)
class Revocations:
    """Tokens that were revoked, or got an earlier expiry, since an earlier revision."""

    revision: int
    """The revision to pass to the next query."""
    handles: tuple[str, ...]
    """Handles of revoked tokens, in the order of revocation."""
    expiries: Mapping[str, float] = field(default_factory=dict)
    """New expiry by handle of a rotated token; wall clock, seconds since 1970."""
