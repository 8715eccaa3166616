"""Bans owners, and refuses what banned owners ask for.

A ban changes nothing else: while it lasts, the store refuses what the owner has and asks for, wherever it is looked up.
So nothing that happens at the same time can slip past it, and lifting it gives back exactly what there was.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import ColumnElement, Connection, FromClause, Text, cast, exists, func, insert, or_, select, update

from arena.errors import BannedError, OptionError, RequestError, UnknownNameError
from arena.server.store.account_values import OWNER_SCOPES, BanRow
from arena.server.store.database import StorePart, read_values, reads, writes
from arena.server.store.tables import BANS, TOKENS
from arena.server.store.taken_names import is_owner

MAX_REASON: Final = 300
"""The most characters of the reason for a ban. Every refusal quotes it."""


class BanStore(StorePart):
    @writes
    def ban(self, connection: Connection, owner: str, because: str) -> None:
        """Keep an owner out: tokens, submissions, sessions of the web pages and invitations count no more.

        They stay as they are, and count again when the ban is lifted. Running servers notice a ban within a second.
        Raises UnknownNameError, OptionError if the reason is not one short line, RequestError if the owner is banned.
        """
        if not is_owner(connection, owner):
            raise UnknownNameError("owner", owner)
        reason = because.strip()
        if not 0 < len(reason) <= MAX_REASON or not reason.isprintable():
            raise OptionError("because", because[:MAX_REASON], f"expected 1 to {MAX_REASON} printable characters")
        if (known := banned_owners(connection).get(owner)) is not None:
            raise RequestError(f"{owner!r} is banned already: {known}")
        connection.execute(insert(BANS).values(owner=owner, because=reason, banned_at=self._now()))

    @writes
    def lift(self, connection: Connection, owner: str) -> None:
        """Lift the ban of an owner. Raises RequestError if there is none."""
        lifting = update(BANS).where(BANS.c.owner == owner, BANS.c.lifted_at.is_(None)).values(lifted_at=self._now())
        if connection.execute(lifting).rowcount == 0:
            raise RequestError(f"{owner!r} is not banned")

    @reads
    def reasons(self, connection: Connection) -> Mapping[str, str]:
        return banned_owners(connection)

    @reads
    def list_of(self, connection: Connection, owner: str) -> Sequence[BanRow]:
        """Return the bans that an owner ever had, oldest first."""
        return read_values(connection, select(BANS).where(BANS.c.owner == owner).order_by(BANS.c.number), BanRow)


def banned_owners(connection: Connection) -> Mapping[str, str]:
    """Return the reason for each ban that lasts, by owner."""
    rows = connection.execute(select(BANS.c.owner, BANS.c.because).where(BANS.c.lifted_at.is_(None)))
    return {row.owner: row.because for row in rows}


def refuse_banned(connection: Connection, owner: str) -> None:
    """Raises BannedError."""
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
    stored = [f'["{scope}"]' for scope in sorted(OWNER_SCOPES)]
    return (tokens.c.owner == owner) & cast(tokens.c.scopes, Text).in_(stored)
