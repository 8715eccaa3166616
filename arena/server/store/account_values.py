"""Owners, bots, tokens, invitations and bans as values. Needs no database, so processes without one can use it.

All times are in seconds since 1970 by the wall clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final

from arena.match.value_class import value_class


class Scope(StrEnum):
    """What a token allows its holder to do."""

    PLAY = "play"
    ORGANIZE = "organize"
    """Create and cancel matches, and read everything about them."""
    SPECTATE = "spectate"
    """Watch what is public."""
    RELAY = "relay"
    """Watch as many matches at once as a relay may, because many people watch through it. Needs `spectate` too."""
    OWN = "own"
    """Manage the owner's own bots and tokens, and submit. Only owners have tokens with this scope."""
    SUBMIT = "submit"
    """Submit the owner's own bots, and nothing else, as CI does. Only owners have tokens with this scope."""


OWNER_SCOPES: Final = frozenset({Scope.OWN, Scope.SUBMIT})
"""The scopes of tokens that stand for an owner, not for a bot."""


@value_class()
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
    pools: tuple[str, ...] = ()
    """The pools that the bot.toml of the version names."""


@value_class()
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


@value_class()
class TokenRow:
    """A token without its secret."""

    handle: str
    name: str
    scopes: frozenset[Scope]
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None
    owner: str | None = None
    last_used_at: float | None = None
    """When the token was last used, accurate to about a minute; None if it was never used."""
    revocation: int | None = None
    """The number of the token's revocation or rotation; None if neither has happened."""
    league: str | None = None
    """The id of the league for which the token was made; None for other tokens."""
    version: str | None = None
    """The version of the submitted bot that the arena runs with the token; None for other tokens."""

    @property
    def is_retiring(self) -> bool:
        """Whether the token is for a version that another one has replaced, and that plays its games to the end."""
        return self.version is not None and self.revocation is not None and self.revoked_at is None

    def is_valid(self, now: float) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@value_class()
class NewToken:
    name: str
    scopes: frozenset[Scope]
    secret: str = field(repr=False)


@value_class()
class BotProfile:
    """What an owner says of a bot. Everybody may read it."""

    text: str = ""
    """One line."""
    language: str = ""
    """In which the bot is written."""
    link: str = ""
    """The address of a web page."""


@value_class()
class BotRow:
    name: str
    created_at: float
    tokens: Sequence[TokenRow] = ()
    """The valid tokens of the bot, oldest first."""
    profile: BotProfile = field(default=BotProfile())


@value_class()
class NewBot:
    name: str
    secret: str = field(repr=False)


@value_class()
class OwnerRow:
    name: str
    contact: str
    bot_limit: int
    """The most bots that the owner may create without an organizer."""
    created_at: float
    bots: Sequence[BotRow] = ()
    tokens: Sequence[TokenRow] = field(default=(), repr=False)
    """The owner's own valid tokens, oldest first."""


@value_class()
class BanRow:
    because: str
    """What the owner is told."""
    banned_at: float
    lifted_at: float | None = None
    """None while the ban lasts."""


@value_class()
class InvitationRow:
    """An invitation without its code."""

    handle: str
    """The public part of the code."""
    bot_limit: int
    """How many bots the invitation allows."""
    created_at: float
    expires_at: float
    owner: str | None = None
    """The owner whom the invitation is for; None if the author chooses the owner's name."""
    used_at: float | None = None
    used_by: str | None = None
    revoked_at: float | None = None

    def is_open(self, now: float) -> bool:
        return self.used_at is None and self.revoked_at is None and now < self.expires_at


@value_class()
class NewAccount:
    """The owner and the bots of a redeemed invitation, with the secrets of their tokens."""

    owner: str
    secret: str = field(repr=False)
    """The secret of the owner's token."""
    bots: Sequence[NewBot]
