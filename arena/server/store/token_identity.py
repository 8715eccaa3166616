"""The identity behind a token. This module needs no database, so processes without one can use it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """What a token allows its holder to do."""

    PLAY = "play"
    """Take seats and play."""
    ORGANIZE = "organize"
    """Create and cancel matches, and read everything about them."""
    SPECTATE = "spectate"
    """Watch what is public."""
    RELAY = "relay"
    """Watch as many matches at once as a relay may, because many people watch through it. Needs `spectate` too."""
    OWN = "own"
    """Manage the owner's own bots and tokens, and submit. Only owners have tokens with this scope."""
    SUBMIT = "submit"
    """Hand in the owner's own bots, and nothing else, as CI does. Only owners have tokens with this scope."""


OWNER_SCOPES: Final = frozenset({Scope.OWN, Scope.SUBMIT})
"""The scopes of tokens that stand for an owner, not for a bot."""


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """The holder of a valid token."""

    name: str
    scopes: frozenset[Scope]
    handle: str
    """The token's public part, by which the sessions of a revoked token are found."""
    expires_at: float | None = None
    """When the token expires, in seconds since 1970 by the wall clock; None if it never expires."""
    owner: str | None = None
    """The owner of the token; None if it belongs to nobody."""
    version: str | None = None
    """The version of the submitted bot that the arena runs with this token; None for other tokens."""
    is_retiring: bool = False
    """Whether another version has replaced this one, which only plays its games to the end."""


@dataclass(frozen=True, slots=True)
class Revocations:
    """Tokens that were revoked, or got an earlier expiry, since an earlier revision, and the banned owners."""

    revision: int
    """The revision to pass to the next query."""
    handles: tuple[str, ...]
    """Handles of revoked tokens, in the order of revocation."""
    expiries: Mapping[str, float] = field(default_factory=dict)
    """The new expiry of each rotated token, by handle, in seconds since 1970 by the wall clock."""
    banned: Mapping[str, str] = field(default_factory=dict)
    """Why each banned owner is banned, by the owner."""
