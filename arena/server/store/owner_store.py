"""Stores owners and their bots. The functions work within a transaction that also does other work."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from arena.errors import CapacityError, OptionError, RequestError, UnknownNameError
from arena.plurals import format_count
from arena.server.store.account_values import OWNER_SCOPES, BanRow, BotRow, NewBot, OwnerRow, Scope, TokenRow
from arena.server.store.database import Database, shield_from_cancel
from arena.server.store.owner_checks import (
    banned_owners,
    insert_ban,
    is_owner,
    lift_ban,
    list_bans,
    name_skeleton,
    normalize_name,
    refuse_banned,
    refuse_owned_name,
    refuse_reserved_name,
    refuse_taken_name,
)
from arena.server.store.tables import BOTS, OWNERS, TOKENS
from arena.server.store.token_rows import insert_token, revoke_tokens, token_from_row

MAX_CONTACT: Final = 200
"""The most characters of a contact."""
MAX_BOTS: Final = 1000
"""The highest bot limit that an owner may get."""


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
        await self._database.write(lambda connection: insert_ban(connection, name, because, self._now()))

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


def check_contact(contact: str) -> str:
    """Return a contact, which says how to reach an owner. Raises OptionError unless the contact is one short line."""
    if len(contact) > MAX_CONTACT or not contact.isprintable():
        raise OptionError("contact", contact, f"expected at most {MAX_CONTACT} printable characters")
    return contact


def check_bot_limit(count: int) -> int:
    """Return a bot limit. Raises OptionError unless it is from 1 to 1000."""
    if not 1 <= count <= MAX_BOTS:
        raise OptionError("bots", count, f"expected 1 to {MAX_BOTS}")
    return count


def insert_owner(
    connection: Connection, name: str, contact: str, bot_limit: int, now: float, invited: str | None = None
) -> str:
    """Add an owner and return the canonical name. Raises OptionError if the name is invalid or taken.

    `invited` is the owner whom the redeemed invitation names, if any.
    """
    plain = normalize_name(name, "owner")
    refuse_reserved_name(connection, "owner", plain, invited, now)
    refuse_taken_name(connection, "owner", plain, None)
    row = {
        "name": plain,
        "skeleton": name_skeleton(plain),
        "contact": check_contact(contact),
        "bot_limit": check_bot_limit(bot_limit),
        "created_at": now,
    }
    connection.execute(insert(OWNERS), row)
    return plain


def insert_bot(connection: Connection, owner: str, name: str, now: float) -> str:
    """Add a bot and return its canonical name. Raises OptionError if the name is invalid or taken."""
    plain = normalize_name(name, "bot")
    refuse_reserved_name(connection, "bot", plain, owner, now)
    refuse_taken_name(connection, "bot", plain, owner)
    if connection.scalar(select(BOTS.c.name).where(BOTS.c.name == plain)) is not None:
        raise OptionError("bot", plain, f"{owner!r} has a bot of this name already")
    connection.execute(
        insert(BOTS), {"name": plain, "owner": owner, "skeleton": name_skeleton(plain), "created_at": now}
    )
    return plain


def insert_own_bot(connection: Connection, owner: str, name: str, now: float) -> NewBot:
    """Add a bot at its owner's request, with a token to play. If the owner's bot has no valid token, add only a token.

    Raises CapacityError if the owner has as many bots as allowed, OptionError if the name is invalid or taken.
    """
    if (known := _find_without_token(connection, owner, normalize_name(name, "bot"), now)) is not None:
        return NewBot(known, insert_token(connection, known, [Scope.PLAY], now, owner=owner))
    _check_bot_count(connection, owner)
    plain = insert_bot(connection, owner, name, now)
    return NewBot(plain, insert_token(connection, plain, [Scope.PLAY], now, owner=owner))


def claim_bot(connection: Connection, owner: str, name: str, now: float) -> None:
    """Add a bot without a token at its owner's request, unless the owner has it already. `name` is canonical.

    Raises CapacityError if the owner has as many bots as allowed, OptionError if the name is invalid or taken, and
    BannedError for a banned owner.
    """
    refuse_banned(connection, owner)
    if not _has_bot(connection, owner, name):
        _check_bot_count(connection, owner)
        insert_bot(connection, owner, name, now)


def check_claim(connection: Connection, owner: str, name: str, now: float) -> None:
    """Raise what `claim_bot` would raise. Change nothing."""
    refuse_banned(connection, owner)
    if not _has_bot(connection, owner, name):
        _check_bot_count(connection, owner)
        refuse_reserved_name(connection, "bot", name, owner, now)
        refuse_taken_name(connection, "bot", name, owner)


def _has_bot(connection: Connection, owner: str, name: str) -> bool:
    return connection.scalar(select(BOTS.c.name).where(BOTS.c.name == name, BOTS.c.owner == owner)) is not None


def _check_bot_count(connection: Connection, owner: str) -> None:
    """Raise CapacityError if an owner has as many bots as allowed, UnknownNameError if there is no such owner."""
    limit = connection.scalar(select(OWNERS.c.bot_limit).where(OWNERS.c.name == owner))
    count = connection.scalar(select(func.count()).select_from(BOTS).where(BOTS.c.owner == owner)) or 0
    if limit is None:
        raise UnknownNameError("owner", owner)
    if count >= limit:
        raise CapacityError(f"{owner!r} has {format_count(count, 'bot')} already, the limit of this owner")


def _find_without_token(connection: Connection, owner: str, name: str, now: float) -> str | None:
    """Return the name if the owner has a bot of this name without a valid token of the owner; otherwise None.

    The token with which the arena runs a submitted version is not the owner's.
    """
    if not _has_bot(connection, owner, name):
        return None
    rows = connection.execute(select(TOKENS).where(TOKENS.c.name == name, TOKENS.c.owner == owner)).all()
    bots = (token for token in map(token_from_row, rows) if token.scopes.isdisjoint(OWNER_SCOPES))
    tokens = [token for token in bots if token.version is None]
    return None if any(token.is_valid(now) for token in tokens) else name


def owners_with_bots(connection: Connection, now: float, only: str | None = None) -> list[OwnerRow]:
    """Return owners with their bots and valid tokens, by name.

    Tokens with which the arena runs submitted versions are not the owner's: `TokenStore.list` has them.
    """
    owners, bots = select(OWNERS).order_by(OWNERS.c.name), select(BOTS).order_by(BOTS.c.name)
    tokens = select(TOKENS).where(TOKENS.c.owner.is_not(None), TOKENS.c.version.is_(None))
    tokens = tokens.order_by(TOKENS.c.created_at, TOKENS.c.handle)
    if only is not None:
        owners, bots = owners.where(OWNERS.c.name == only), bots.where(BOTS.c.owner == only)
        tokens = tokens.where(TOKENS.c.owner == only)
    valid = defaultdict[tuple[str | None, str, bool], list[TokenRow]](list)
    for row in connection.execute(tokens):
        token = token_from_row(row)
        if token.is_valid(now):
            valid[token.owner, token.name, not token.scopes.isdisjoint(OWNER_SCOPES)].append(token)
    bots_of = defaultdict[str, list[BotRow]](list)
    for row in connection.execute(bots):
        bots_of[row.owner].append(BotRow(row.name, row.created_at, valid[row.owner, row.name, False]))
    return [
        OwnerRow(
            row.name, row.contact, row.bot_limit, row.created_at, bots_of[row.name], valid[row.name, row.name, True]
        )
        for row in connection.execute(owners)
    ]


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
    if _has_bot(connection, owner, plain):
        return plain
    adopted = update(TOKENS).where(TOKENS.c.name == plain, TOKENS.c.owner.is_(None)).values(owner=owner)
    connection.execute(adopted)
    return insert_bot(connection, owner, plain, now)
