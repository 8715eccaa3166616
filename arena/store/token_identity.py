"""What is known of whoever shows a token. It needs no database, and so is at hand where there is none."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a token lets its holder do."""

    PLAY = "play"
    """Sit at tables."""
    ORGANIZE = "organize"
    """Make and cancel matches, and read everything about them."""
    SPECTATE = "spectate"
    """Watch what is public."""


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """Whose token was shown."""

    name: str
    scopes: frozenset[Scope]
    handle: str
    """The token's public part, so that a revoked token's sessions can be found."""
    expires_at: float | None = None
    """Wall clock, seconds since 1970; None: never."""


@dataclass(frozen=True, slots=True)
class Revocations:
    """What was revoked since one looked last."""

    revision: int
    """To be given the next time."""
    handles: tuple[str, ...]
    """In the order in which they were revoked."""
