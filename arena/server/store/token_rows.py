"""Adds and ends tokens within a transaction that also does other work."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, Row, func, insert, or_, select, update

from arena.errors import OptionError, UnknownNameError
from arena.server.store.names import normalize_name
from arena.server.store.owner_bans import refuse_banned
from arena.server.store.secret_text import TOKEN_PREFIX, handle_of, hash_secret, make_secret
from arena.server.store.tables import TOKENS
from arena.server.store.token_identity import Scope

NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token without its secret. Times are in seconds since 1970 by the wall clock."""

    handle: str
    name: str
    scopes: frozenset[Scope]
    created_at: float
    expires_at: float | None
    revoked_at: float | None
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
        """Return whether the token is accepted at this time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just created."""

    name: str
    scopes: frozenset[Scope]
    secret: str = field(repr=False)


def token_from_row(row: Row[Any]) -> TokenRow:
    """Return the token of a database row."""
    return TokenRow(
        row.handle,
        row.name,
        frozenset(Scope(scope) for scope in row.scopes),
        row.created_at,
        row.expires_at,
        row.revoked_at,
        row.owner,
        row.last_used_at,
        row.revocation,
        row.league,
        row.version,
    )


def insert_token(
    connection: Connection,
    name: str,
    scopes: Iterable[Scope],
    now: float,
    *,
    owner: str | None,
    ttl_s: float | None = None,
    league: str | None = None,
    version: str | None = None,
) -> str:
    """Add a token and return its secret. Without `ttl_s` the token never expires.

    Raises OptionError for a bad name, BannedError for a banned owner.
    """
    if owner is not None:
        refuse_banned(connection, owner)
    secret = make_secret(TOKEN_PREFIX)
    row = {
        "handle": handle_of(secret),
        "name": normalize_name(name),
        "scopes": sorted(scopes),
        "secret_hash": hash_secret(secret),
        "created_at": now,
        "expires_at": None if ttl_s is None else now + ttl_s,
        "owner": owner,
        "league": league,
        "version": version,
    }
    connection.execute(insert(TOKENS), row)
    return secret


def find_tokens(connection: Connection, name_or_handle: str, owner: str | None) -> list[TokenRow]:
    """Return the tokens with this name or handle, oldest first. If `owner` is given, return only the owner's tokens.

    Raises UnknownNameError if no token is found. Tokens of other owners count as not found.
    """
    wanted = select(TOKENS).where(or_(TOKENS.c.name == name_or_handle, TOKENS.c.handle == name_or_handle))
    if owner is not None:
        wanted = wanted.where(TOKENS.c.owner == owner)
    rows = connection.execute(wanted.order_by(TOKENS.c.created_at, TOKENS.c.handle)).all()
    if not rows:
        raise UnknownNameError("token", name_or_handle)
    return [token_from_row(row) for row in rows]


def revoke_tokens(connection: Connection, tokens: Collection[TokenRow], now: float) -> list[str]:
    """Revoke tokens and return the handles of those that were not revoked before."""
    live = [token.handle for token in tokens if token.revoked_at is None]
    _change(connection, live, {"revoked_at": now})
    return live


def end_tokens_at(connection: Connection, tokens: Collection[TokenRow], instant: float) -> None:
    """Let tokens expire at an instant, unless they expire earlier anyway."""
    later = [token.handle for token in tokens if (NEVER if token.expires_at is None else token.expires_at) > instant]
    _change(connection, later, {"expires_at": instant})


def extend_tokens(connection: Connection, league: str, instant: float) -> None:
    """Let the tokens of a league expire at an instant, unless they expire later anyway.

    Revoked tokens, and tokens that were rotated, stay as they are.
    """
    is_earlier = (TOKENS.c.league == league) & TOKENS.c.revocation.is_(None) & (TOKENS.c.expires_at < instant)
    connection.execute(update(TOKENS).where(is_earlier).values(expires_at=instant))


def common_scopes(name: str, tokens: Collection[TokenRow]) -> frozenset[Scope]:
    """Return the scopes that all these tokens have. Raises OptionError if the tokens differ in scopes."""
    kinds = {token.scopes for token in tokens}
    if len(kinds) > 1:
        raise OptionError("token", name, "it has tokens for different purposes: name one by its handle")
    return kinds.pop()


def _change(connection: Connection, handles: Iterable[str], values: dict[str, float]) -> None:
    """Change tokens, and number each change so that running servers notice it."""
    last = connection.scalar(select(func.max(TOKENS.c.revocation))) or 0
    for number, handle in enumerate(handles, start=last + 1):
        connection.execute(update(TOKENS).where(TOKENS.c.handle == handle).values(values | {"revocation": number}))
