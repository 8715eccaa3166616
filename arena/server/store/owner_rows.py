"""Adds owners and bots within a transaction that also does other work. No two owners have names that look alike."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection, func, insert, select

from arena.errors import CapacityError, OptionError, UnknownNameError
from arena.names import is_arena_name
from arena.plurals import format_count
from arena.server.store.account_values import OWNER_SCOPES, BotRow, NewBot, OwnerRow, Scope, TokenRow
from arena.server.store.names import name_skeleton, normalize_name
from arena.server.store.owner_bans import refuse_banned
from arena.server.store.tables import BOTS, INVITATIONS, OWNERS, TOKENS
from arena.server.store.token_rows import insert_token, token_from_row

MAX_CONTACT: Final = 200
"""The most characters of a contact."""
MAX_BOTS: Final = 1000
"""The highest bot limit that an owner may get."""


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
    plain = _insert_bot_within_limit(connection, owner, name, now)
    return NewBot(plain, insert_token(connection, plain, [Scope.PLAY], now, owner=owner))


def claim_bot(connection: Connection, owner: str, name: str, now: float) -> None:
    """Add a bot without a token at its owner's request, unless the owner has it already. `name` is canonical.

    Raises CapacityError if the owner has as many bots as allowed, OptionError if the name is invalid or taken, and
    BannedError for a banned owner.
    """
    refuse_banned(connection, owner)
    if not _has_bot(connection, owner, name):
        _insert_bot_within_limit(connection, owner, name, now)


def check_claim(connection: Connection, owner: str, name: str, now: float) -> None:
    """Raise what `claim_bot` would raise. Change nothing."""
    refuse_banned(connection, owner)
    if not _has_bot(connection, owner, name):
        _check_bot_count(connection, owner)
        refuse_reserved_name(connection, "bot", name, owner, now)
        refuse_taken_name(connection, "bot", name, owner)


def _has_bot(connection: Connection, owner: str, name: str) -> bool:
    return connection.scalar(select(BOTS.c.name).where(BOTS.c.name == name, BOTS.c.owner == owner)) is not None


def _insert_bot_within_limit(connection: Connection, owner: str, name: str, now: float) -> str:
    _check_bot_count(connection, owner)
    return insert_bot(connection, owner, name, now)


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


def is_owner(connection: Connection, name: str) -> bool:
    """Return whether an owner has this name."""
    return connection.scalar(select(OWNERS.c.name).where(OWNERS.c.name == name)) is not None


def refuse_taken_name(connection: Connection, field_name: str, name: str, owner: str | None) -> None:
    """Raise OptionError if a name is taken or looks like a taken one. The owner's own names count as free.

    Names that a server gives are taken from the start. So is every name that ever had a token, because recorded games
    bear it.
    """
    if is_arena_name(name):
        raise OptionError(field_name, name, "only the arena gives such names: choose another name")
    refuse_owned_name(connection, field_name, name, owner)
    others = select(TOKENS.c.name).where(TOKENS.c.owner.is_(None)).distinct()
    for other in connection.scalars(others):
        if name_skeleton(other) == name_skeleton(name):
            raise _look_alike_error(field_name, name, other)


def refuse_owned_name(connection: Connection, field_name: str, name: str, owner: str | None) -> None:
    """Raise OptionError if a name is, or looks like, the name of another owner or of another owner's bot."""
    for other in _find_owned_look_alikes(connection, name, owner):
        raise _look_alike_error(field_name, name, other)


def insert_local_token(connection: Connection, name: str, now: float, ttl_s: float) -> str:
    """Add a token to play for a bot that the arena itself starts, and return its secret.

    Raises OptionError if an owner, or an owner's bot, has this name or one that looks like it, or if an open invitation
    is for such a name. Otherwise the owner's tokens would open the bot's seats.
    """
    plain = normalize_name(name, "bot")
    refuse_reserved_name(connection, "bot", plain, None, now)
    for other in _find_owned_look_alikes(connection, plain, None):
        allowed = f"it is the name of an owner or of an owner's bot, or looks like {other!r}: rename the local bot"
        raise OptionError("bot", plain, allowed)
    return insert_token(connection, plain, [Scope.PLAY], now, owner=None, ttl_s=ttl_s)


def reserve_local_names(connection: Connection, names: Iterable[str], now: float) -> None:
    """Reserve the names of bots that the arena will start. From then on no owner can take them.

    A name without a token gets one that has expired, because every name that ever had a token counts as taken. Raises
    OptionError as `insert_local_token` does.
    """
    known = set(connection.scalars(select(TOKENS.c.name).where(TOKENS.c.owner.is_(None))))
    for name in names:
        if name not in known or any(_find_owned_look_alikes(connection, name, None)):
            insert_local_token(connection, name, now, ttl_s=0.0)


def _find_owned_look_alikes(connection: Connection, name: str, owner: str | None) -> Sequence[str]:
    """Return the other owners, and their bots, that have this name or one that looks like it."""
    skeleton = name_skeleton(name)
    owners = select(OWNERS.c.name).where(OWNERS.c.skeleton == skeleton, OWNERS.c.name.is_distinct_from(owner))
    bots = select(BOTS.c.name).where(BOTS.c.skeleton == skeleton, BOTS.c.owner.is_distinct_from(owner))
    return (*connection.scalars(owners), *connection.scalars(bots))


def refuse_reserved_name(connection: Connection, field_name: str, name: str, invited: str | None, now: float) -> None:
    """Raise OptionError if a name is, or looks like, the name of an owner who has an open invitation.

    Invitations of the owner `invited` do not count.
    """
    named = select(INVITATIONS.c.owner).where(
        INVITATIONS.c.owner.is_distinct_from(invited),
        INVITATIONS.c.used_at.is_(None),
        INVITATIONS.c.revoked_at.is_(None),
        INVITATIONS.c.expires_at > now,
    )
    for other in connection.scalars(named):
        if other is not None and name_skeleton(other) == name_skeleton(name):
            raise _look_alike_error(field_name, name, other)


def _look_alike_error(field_name: str, name: str, other: str) -> OptionError:
    return OptionError(field_name, name, f"it is taken, or looks like {other!r}: choose another name")


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
