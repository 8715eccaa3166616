"""Says which names an owner or a bot may take, and which owners are banned, within a transaction of other work.

A ban changes nothing else: while it lasts, the store refuses what the owner has and asks for, wherever it is looked up.
So nothing that happens at the same time can slip past it, and lifting it gives back exactly what there was.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, FromClause, exists, func, insert, or_, select, update

from arena.errors import BannedError, OptionError, RequestError, UnknownNameError
from arena.names import SEPARATORS, fold_look_alikes, is_arena_name, is_readable_name
from arena.server.store.account_values import OWNER_SCOPES, BanRow
from arena.server.store.tables import BANS, BOTS, INVITATIONS, OWNERS, TOKENS

MAX_REASON = 300
"""The most characters of the reason for a ban. Every refusal quotes it."""
_SECRETS: Final = ("cat_", "cai_")
"""What the secrets of tokens and the codes of invitations begin with. A name that did so could be taken for one."""
_ALLOWED: Final = (
    "1 to 32 letters and digits of one script, spaces or . _ + # -, with a letter or digit at both ends,"
    " not cat_ or cai_ first"
)


def normalize_name(name: str, field: str = "name") -> str:
    """Return a name in its canonical form (NFKC).

    If the name is invalid, raises an OptionError that names the option `field`.

    Letters of several scripts are refused, unless people write them together (`arena.names`).
    """
    plain = unicodedata.normalize("NFKC", name)
    if plain.startswith(_SECRETS) or not is_readable_name(plain):
        raise OptionError(field, name, _ALLOWED)
    return plain


def name_skeleton(name: str) -> str:
    """Return a text that is the same for all names that look alike. It is never empty for a canonical name.

    >>> name_skeleton("Corn-1"), name_skeleton("c0m i"), name_skeleton("other")
    ('coml', 'coml', 'other')
    """
    return fold_look_alikes(name, ignored=SEPARATORS)


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
    for other in find_owned_look_alikes(connection, name, owner):
        raise _look_alike_error(field_name, name, other)


def find_owned_look_alikes(connection: Connection, name: str, owner: str | None) -> Sequence[str]:
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


def insert_ban(connection: Connection, owner: str, because: str, now: float) -> None:
    """Ban an owner. Raises UnknownNameError, OptionError unless the reason is one short line.

    Raises RequestError if the owner is banned already.
    """
    if not is_owner(connection, owner):
        raise UnknownNameError("owner", owner)
    reason = because.strip()
    if not 0 < len(reason) <= MAX_REASON or not reason.isprintable():
        raise OptionError("because", because[:MAX_REASON], f"expected 1 to {MAX_REASON} printable characters")
    if (known := banned_owners(connection).get(owner)) is not None:
        raise RequestError(f"{owner!r} is banned already: {known}")
    connection.execute(insert(BANS).values(owner=owner, because=reason, banned_at=now))


def lift_ban(connection: Connection, owner: str, now: float) -> None:
    """Lift the ban of an owner. Raises RequestError if there is none."""
    lifting = update(BANS).where(BANS.c.owner == owner, BANS.c.lifted_at.is_(None)).values(lifted_at=now)
    if connection.execute(lifting).rowcount == 0:
        raise RequestError(f"{owner!r} is not banned")


def list_bans(connection: Connection, owner: str) -> list[BanRow]:
    """Return the bans that an owner ever had, oldest first."""
    rows = connection.execute(select(BANS).where(BANS.c.owner == owner).order_by(BANS.c.number))
    return [BanRow(row.because, row.banned_at, row.lifted_at) for row in rows]


def banned_owners(connection: Connection) -> Mapping[str, str]:
    """Return the reason for each ban that lasts, by owner."""
    rows = connection.execute(select(BANS.c.owner, BANS.c.because).where(BANS.c.lifted_at.is_(None)))
    return {row.owner: row.because for row in rows}


def refuse_banned(connection: Connection, owner: str) -> None:
    """Raise BannedError if an owner is banned."""
    if (because := banned_owners(connection).get(owner)) is not None:
        raise BannedError(owner, because)


def is_shut_out(owner: ColumnElement[str]) -> ColumnElement[bool]:
    """Return a condition on a column with owners: whom the organizer keeps out.

    Either the owner is banned, or the newest revocation left the owner no valid token. Owners whose tokens have only
    expired are not kept out.
    """
    is_banned = exists().where(BANS.c.owner == owner, BANS.c.lifted_at.is_(None))
    revoked, left = TOKENS.alias(), TOKENS.alias()
    newest = select(func.max(revoked.c.revoked_at)).where(_is_own(revoked, owner)).scalar_subquery()
    outlasts_it = or_(left.c.expires_at.is_(None), left.c.expires_at > newest)
    has_token = exists().where(_is_own(left, owner), left.c.revoked_at.is_(None), outlasts_it)
    return is_banned | (newest.is_not(None) & ~has_token)


def _is_own(tokens: FromClause, owner: ColumnElement[str]) -> ColumnElement[bool]:
    """Return a condition on tokens: those that stand for an owner."""
    return (tokens.c.owner == owner) & or_(*(tokens.c.scopes == [scope] for scope in sorted(OWNER_SCOPES)))
