"""Declares the parts of the store that serve owners: invitations, bots, tokens of owners and bots, and logins."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol


class NewBot(Protocol):
    """Describes a bot that was just created."""

    @property
    def name(self) -> str:
        """The canonical name of the bot."""

    @property
    def secret(self) -> str:
        """The secret of the bot's token, which cannot be retrieved later."""


class NewAccount(Protocol):
    """Describes the owner and the bots of a redeemed invitation, with the secrets of their tokens."""

    @property
    def owner(self) -> str:
        """The canonical name of the owner."""

    @property
    def secret(self) -> str:
        """The secret of the owner's token."""

    @property
    def bots(self) -> Sequence[NewBot]:
        """The bots, in the order of the request."""


class NewToken(Protocol):
    """Describes a token that was just created."""

    @property
    def name(self) -> str:
        """The name of the bot or owner that the token identifies."""

    @property
    def scopes(self) -> Collection[str]:
        """The scopes of the token."""

    @property
    def secret(self) -> str:
        """The secret of the token, which cannot be retrieved later."""


class ValidToken(Protocol):
    """Describes a valid token. Times are in seconds since 1970 by the wall clock."""

    @property
    def handle(self) -> str:
        """The public part of the token."""

    @property
    def scopes(self) -> Collection[str]:
        """The scopes of the token."""

    @property
    def created_at(self) -> float:
        """When the token was created."""

    @property
    def expires_at(self) -> float | None:
        """When the token expires; None if it never does."""

    @property
    def last_used_at(self) -> float | None:
        """When the token was last used, accurate to about a minute; None if it was never used."""


class OwnedBot(Protocol):
    """Describes a bot of an owner."""

    @property
    def name(self) -> str:
        """The name of the bot."""

    @property
    def created_at(self) -> float:
        """When the bot was created, in seconds since 1970."""

    @property
    def tokens(self) -> Sequence[ValidToken]:
        """The valid tokens of the bot, oldest first."""


class OwnerState(Protocol):
    """Describes an owner."""

    @property
    def name(self) -> str:
        """The owner's name."""

    @property
    def bot_limit(self) -> int:
        """The most bots that the owner may create."""

    @property
    def bots(self) -> Sequence[OwnedBot]:
        """The owner's bots, by name."""

    @property
    def tokens(self) -> Sequence[ValidToken]:
        """The owner's own valid tokens, oldest first."""


class Invitations(Protocol):
    """Redeems invitations."""

    async def redeem(self, code: str, owner: str, contact: str, bots: Sequence[str]) -> NewAccount:
        """Create owner, bots and tokens. Raises InvitationRefusedError, OptionError, StoreError."""


class Owners(Protocol):
    """Creates and lists the bots of owners."""

    async def get(self, name: str) -> OwnerState:
        """Return an owner. Raises UnknownNameError, StoreError."""

    async def create_bot(self, owner: str, name: str) -> NewBot:
        """Create a bot with a token. Raises OptionError, CapacityError, StoreError."""


class OwnedTokens(Protocol):
    """Creates, rotates and revokes tokens. If an owner is given, other owners' tokens count as unknown."""

    async def rotate(self, name_or_handle: str, overlap: timedelta, owner: str | None = None) -> NewToken:
        """Create the successor of a token.

        Raises UnknownNameError, OptionError, CapacityError, StoreError.
        """

    async def create_submit_token(self, owner: str, ttl: timedelta) -> tuple[str, float]:
        """Return a token with which an owner can submit and nothing else, and when it expires in seconds since 1970.

        Raises CapacityError, StoreError.
        """

    async def revoke(self, name_or_handle: str, owner: str | None = None) -> Sequence[str]:
        """Revoke tokens and return the handles of those that were valid. Raises UnknownNameError, StoreError."""


class Logins(Protocol):
    """Makes codes with which owners log in to the web page."""

    async def create_code(self, owner: str) -> tuple[str, float]:
        """Return a code that works once, and when it expires in seconds since 1970.

        Raises CapacityError, StoreError.
        """


@dataclass(frozen=True, slots=True)
class Accounts:
    """Groups the parts of the store that serve owners."""

    invitations: Invitations
    owners: Owners
    tokens: OwnedTokens
    logins: Logins
    web_url: str = ""
    """The address of the web page; empty if it is not known."""
