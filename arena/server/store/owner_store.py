"""Stores owners and their bots. The functions work within a transaction that also does other work."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from arena.errors import CapacityError, OptionError, RequestError, UnknownNameError
from arena.plurals import format_count
from arena.server.store.account_values import OWNER_SCOPES, BotProfile, BotRow, NewBot, OwnerRow, Scope, TokenRow
from arena.server.store.bans import refuse_banned
from arena.server.store.database import StorePart, read_values, reads, writes
from arena.server.store.tables import BOTS, OWNERS, TOKENS
from arena.server.store.taken_names import (
    is_owner,
    name_skeleton,
    normalize_name,
    refuse_owned_name,
    refuse_reserved_name,
    refuse_taken_name,
)
from arena.server.store.token_rows import insert_token, revoke_tokens

MAX_CONTACT: Final = 200
"""The most characters of a contact."""
MAX_BOTS: Final = 1000
"""The highest bot limit that an owner may get."""


class OwnerStore(StorePart):
    @writes
    def add(self, connection: Connection, name: str, contact: str, bot_limit: int) -> str:
        """Add an owner who may create up to `bot_limit` bots; return the canonical name.

        Raises OptionError for an invalid value, and for a name that is taken or looks like a taken name.
        """
        return insert_owner(connection, name, contact, bot_limit, self._now())

    @reads
    def list(self, connection: Connection) -> Sequence[OwnerRow]:
        """Return all owners with their bots, by name."""
        return owners_with_bots(connection, self._now())

    @reads
    def get(self, connection: Connection, name: str) -> OwnerRow:
        """Raises UnknownNameError."""
        return _get(connection, name, self._now())

    @reads
    def owner_of(self, connection: Connection, bot: str) -> str | None:
        """Return the owner of a bot; None if it has none. Raises OptionError for an invalid name."""
        return connection.scalar(select(BOTS.c.owner).where(BOTS.c.name == normalize_name(bot)))

    @reads
    def owners_of(self, connection: Connection, bots: Collection[str]) -> Mapping[str, str]:
        wanted = select(BOTS.c.name, BOTS.c.owner).where(BOTS.c.name.in_(bots))
        return {row.name: row.owner for row in connection.execute(wanted)}

    @reads
    def check_unowned_name(self, connection: Connection, name: str) -> None:
        """Raise OptionError if a name for a bot without an owner looks like the name of an owner or of an owned bot."""
        refuse_owned_name(connection, "name", normalize_name(name), None)

    @writes
    def change_contact(self, connection: Connection, name: str, contact: str) -> None:
        """Replace an owner's contact. Raises UnknownNameError, and OptionError if the contact is not one short line."""
        change = update(OWNERS).where(OWNERS.c.name == name).values(contact=check_contact(contact))
        if connection.execute(change).rowcount == 0:
            raise UnknownNameError("owner", name)

    @writes
    def remove(self, connection: Connection, name: str) -> None:
        """Remove an owner without bots and revoke the owner's tokens.

        Raises UnknownNameError. Raises RequestError if the owner has bots, because recorded games bear the bots' names,
        which would then be free for anybody. Raises BannedError: a banned owner could join again under the same name.
        """
        owner = _get(connection, name, self._now())
        refuse_banned(connection, name)
        if owner.bots:
            names = ", ".join(bot.name for bot in owner.bots)
            reason = "whose games are recorded under these names: revoke their tokens instead"
            raise RequestError(f"owner {name!r} has bots ({names}), {reason}")
        if owner.tokens:
            revoke_tokens(connection, owner.tokens, self._now())
        connection.execute(delete(OWNERS).where(OWNERS.c.name == name))

    @writes
    def create_bot(self, connection: Connection, owner: str, name: str) -> NewBot:
        """Add a bot at its owner's request, with a token to play.

        If the owner has the bot already and it has no valid token, add only a token.

        Raises OptionError if the name is invalid, is taken or looks like a taken name. Raises CapacityError if the
        owner has as many bots as allowed.
        """
        return insert_own_bot(connection, owner, name, self._now())

    @writes
    def register_bot(self, connection: Connection, owner: str, name: str) -> str:
        """Add a bot at an organizer's request, unless the owner has it already; return its canonical name.

        Tokens of this name that belonged to nobody now belong to the owner. Raises UnknownNameError for an unknown
        owner, and OptionError if the name is invalid, is taken or looks like a taken name.
        """
        plain = normalize_name(name, "bot")
        if not is_owner(connection, owner):
            raise UnknownNameError("owner", owner)
        if _has_bot(connection, owner, plain):
            return plain
        connection.execute(update(TOKENS).where(TOKENS.c.name == plain, TOKENS.c.owner.is_(None)).values(owner=owner))
        return insert_bot(connection, owner, plain, self._now())


def check_contact(contact: str) -> str:
    """Return a contact, which says how to reach an owner. Raises OptionError unless the contact is one short line."""
    if len(contact) > MAX_CONTACT or not contact.isprintable():
        raise OptionError("contact", contact, f"expected at most {MAX_CONTACT} printable characters")
    return contact


def check_bot_limit(count: int) -> int:
    """Raises OptionError unless the limit is from 1 to 1000."""
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
    tokens = read_values(connection, select(TOKENS).where(TOKENS.c.name == name, TOKENS.c.owner == owner), TokenRow)
    own = [token for token in tokens if token.scopes.isdisjoint(OWNER_SCOPES) and token.version is None]
    return None if any(token.is_valid(now) for token in own) else name


def _get(connection: Connection, name: str, now: float) -> OwnerRow:
    for owner in owners_with_bots(connection, now, name):
        return owner
    raise UnknownNameError("owner", name)


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
    for token in read_values(connection, tokens, TokenRow):
        if token.is_valid(now):
            valid[token.owner, token.name, not token.scopes.isdisjoint(OWNER_SCOPES)].append(token)
    bots_of = defaultdict[str, list[BotRow]](list)
    for row in connection.execute(bots):
        bots_of[row.owner].append(
            BotRow(row.name, row.created_at, valid[row.owner, row.name, False], BotProfile(**row.profile))
        )
    return [
        OwnerRow(
            row.name, row.contact, row.bot_limit, row.created_at, bots_of[row.name], valid[row.name, row.name, True]
        )
        for row in connection.execute(owners)
    ]
