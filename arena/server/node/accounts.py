"""Declares the parts of the store that serve owners: invitations, bots, tokens of owners and bots, and logins."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from arena.server.store.account_values import NewAccount, NewBot, NewToken, OwnerRow


class Invitations(Protocol):
    """Redeems invitations."""

    async def redeem(self, code: str, owner: str, contact: str, bots: Sequence[str]) -> NewAccount:
        """Redeem an invitation's code: create the owner, unless it exists, the bots, and a token for each of them.

        Raises InvitationRefusedError for a code that is not valid, OptionError for a name that is refused, and
        StoreError. Then nothing has been created.
        """


class Owners(Protocol):
    """Creates and lists the bots of owners."""

    async def get(self, name: str) -> OwnerRow:
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
