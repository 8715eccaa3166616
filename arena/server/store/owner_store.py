"""Stores owners and their bots."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence

from sqlalchemy import Connection, delete, select, update

from arena.errors import RequestError, UnknownNameError
from arena.server.store.account_values import BanRow, NewBot, OwnerRow
from arena.server.store.database import Database, shield_from_cancel
from arena.server.store.names import normalize_name
from arena.server.store.owner_bans import banned_owners, insert_ban, lift_ban, list_bans, refuse_banned
from arena.server.store.owner_rows import (
    check_contact,
    insert_bot,
    insert_own_bot,
    insert_owner,
    is_owner,
    owners_with_bots,
    refuse_owned_name,
)
from arena.server.store.tables import BOTS, OWNERS, TOKENS
from arena.server.store.token_rows import revoke_tokens


class OwnerStore:
    """Adds, changes and lists owners and bots. Every call raises StoreError if the store cannot be used."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        """`now` returns the time in seconds since 1970."""
        self._database = database
        self._now = now

    @shield_from_cancel
    async def add(self, name: str, contact: str, bot_limit: int) -> str:
        """Add an owner who may create up to `bot_limit` bots; return the canonical name.

        Raises OptionError for an invalid value, and for a name that is taken or looks like a taken name.
        """
        return await self._database.write(
            lambda connection: insert_owner(connection, name, contact, bot_limit, self._now())
        )

    @shield_from_cancel
    async def list(self) -> Sequence[OwnerRow]:
        """Return all owners with their bots, by name."""
        return await self._database.read(lambda connection: owners_with_bots(connection, self._now()))

    @shield_from_cancel
    async def get(self, name: str) -> OwnerRow:
        """Return an owner with bots and tokens. Raises UnknownNameError."""
        found = await self._database.read(lambda connection: owners_with_bots(connection, self._now(), name))
        if not found:
            raise UnknownNameError("owner", name)
        return found[0]

    @shield_from_cancel
    async def owner_of(self, bot: str) -> str | None:
        """Return the owner of a bot; None if it has none. Raises OptionError for an invalid name."""
        wanted = select(BOTS.c.owner).where(BOTS.c.name == normalize_name(bot))
        return await self._database.read(lambda connection: connection.scalar(wanted))

    @shield_from_cancel
    async def owners_of(self, bots: Collection[str]) -> Mapping[str, str]:
        """Return the owner of each of these bots that has one."""
        wanted = select(BOTS.c.name, BOTS.c.owner).where(BOTS.c.name.in_(bots))
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return {row.name: row.owner for row in rows}

    @shield_from_cancel
    async def check_unowned_name(self, name: str) -> None:
        """Raise OptionError if a name for a bot without an owner looks like the name of an owner or of an owned bot."""
        plain = normalize_name(name)
        await self._database.read(lambda connection: refuse_owned_name(connection, "name", plain, None))

    @shield_from_cancel
    async def change_contact(self, name: str, contact: str) -> None:
        """Replace an owner's contact. Raises UnknownNameError, and OptionError if the contact is not one short line."""
        change = update(OWNERS).where(OWNERS.c.name == name).values(contact=check_contact(contact))
        if await self._database.write(lambda connection: connection.execute(change).rowcount) == 0:
            raise UnknownNameError("owner", name)

    @shield_from_cancel
    async def ban(self, name: str, because: str) -> None:
        """Keep an owner out: tokens, submissions, sessions of the web pages and invitations count no more.

        They stay as they are, and count again when the ban is lifted. Running servers notice a ban within a second.
        Raises UnknownNameError, OptionError if the reason is not one short line, RequestError if the owner is banned.
        """

        def do(connection: Connection) -> None:
            if not is_owner(connection, name):
                raise UnknownNameError("owner", name)
            insert_ban(connection, name, because, self._now())

        await self._database.write(do)

    @shield_from_cancel
    async def unban(self, name: str) -> None:
        """Lift the ban of an owner. Raises RequestError if there is none."""
        await self._database.write(lambda connection: lift_ban(connection, name, self._now()))

    @shield_from_cancel
    async def ban_reasons(self) -> Mapping[str, str]:
        """Return the reason for each ban that lasts, by owner."""
        return await self._database.read(banned_owners)

    @shield_from_cancel
    async def bans_of(self, name: str) -> Sequence[BanRow]:
        """Return the bans that an owner ever had, oldest first."""
        return await self._database.read(lambda connection: list_bans(connection, name))

    @shield_from_cancel
    async def remove(self, name: str) -> None:
        """Remove an owner without bots and revoke the owner's tokens.

        Raises UnknownNameError. Raises RequestError if the owner has bots, because recorded games bear the bots' names,
        which would then be free for anybody. Raises BannedError: a banned owner could join again under the same name.
        """
        await self._database.write(lambda connection: _remove(connection, name, self._now()))

    @shield_from_cancel
    async def create_bot(self, owner: str, name: str) -> NewBot:
        """Add a bot at its owner's request, with a token to play.

        If the owner has the bot already and it has no valid token, add only a token.

        Raises OptionError if the name is invalid, is taken or looks like a taken name. Raises CapacityError if the
        owner has as many bots as allowed.
        """
        return await self._database.write(lambda connection: insert_own_bot(connection, owner, name, self._now()))

    @shield_from_cancel
    async def register_bot(self, owner: str, name: str) -> str:
        """Add a bot at an organizer's request, unless the owner has it already; return its canonical name.

        Tokens of this name that belonged to nobody now belong to the owner. Raises UnknownNameError for an unknown
        owner, and OptionError if the name is invalid, is taken or looks like a taken name.
        """
        return await self._database.write(lambda connection: _register_bot(connection, owner, name, self._now()))


def _remove(connection: Connection, name: str, now: float) -> None:
    (owner,) = owners_with_bots(connection, now, name) or (None,)
    if owner is None:
        raise UnknownNameError("owner", name)
    refuse_banned(connection, name)
    if owner.bots:
        names = ", ".join(bot.name for bot in owner.bots)
        reason = "whose games are recorded under these names: revoke their tokens instead"
        raise RequestError(f"owner {name!r} has bots ({names}), {reason}")
    if owner.tokens:
        revoke_tokens(connection, owner.tokens, now)
    connection.execute(delete(OWNERS).where(OWNERS.c.name == name))


def _register_bot(connection: Connection, owner: str, name: str, now: float) -> str:
    plain = normalize_name(name, "bot")
    if not is_owner(connection, owner):
        raise UnknownNameError("owner", owner)
    if connection.scalar(select(BOTS.c.name).where(BOTS.c.name == plain, BOTS.c.owner == owner)) is not None:
        return plain
    adopted = update(TOKENS).where(TOKENS.c.name == plain, TOKENS.c.owner.is_(None)).values(owner=owner)
    connection.execute(adopted)
    return insert_bot(connection, owner, plain, now)
