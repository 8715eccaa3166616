"""Adds and ends tokens within a transaction that also does other work."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlalchemy import Connection, func, insert, or_, select, update

from arena.errors import CapacityError, OptionError, UnknownNameError
from arena.server.store.account_values import Scope, TokenRow
from arena.server.store.bans import refuse_banned
from arena.server.store.database import read_values
from arena.server.store.secret_text import TOKEN_PREFIX, handle_of, hash_secret, make_secret
from arena.server.store.tables import TOKENS
from arena.server.store.taken_names import find_owned_look_alikes, normalize_name, refuse_reserved_name

NEVER: Final = float("inf")
MAX_TOKENS_A_NAME: Final = 8
"""If a name has this many valid tokens, none of them can be rotated. Otherwise an owner could fill the store."""
MAX_TOKENS_A_DAY: Final = 100
"""If a name got this many tokens within 24 hours, it gets no more by rotation. Ended tokens stay in the store."""
_DAY_S: Final = 86_400.0


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


def insert_local_token(connection: Connection, name: str, now: float, ttl_s: float) -> str:
    """Add a token to play for a bot that the arena itself starts, and return its secret.

    Raises OptionError if an owner, or an owner's bot, has this name or one that looks like it, or if an open invitation
    is for such a name. Otherwise the owner's tokens would open the bot's seats.
    """
    plain = normalize_name(name, "bot")
    refuse_reserved_name(connection, "bot", plain, None, now)
    for other in find_owned_look_alikes(connection, plain, None):
        allowed = f"it is the name of an owner or of an owner's bot, or looks like {other!r}: rename the local bot"
        raise OptionError("bot", plain, allowed)
    return insert_token(connection, plain, [Scope.PLAY], now, owner=None, ttl_s=ttl_s)


def find_tokens(connection: Connection, name_or_handle: str, owner: str | None) -> list[TokenRow]:
    """Return the tokens with this name or handle, oldest first. If `owner` is given, return only the owner's tokens.

    Raises UnknownNameError if no token is found. Tokens of other owners count as not found.
    """
    wanted = select(TOKENS).where(or_(TOKENS.c.name == name_or_handle, TOKENS.c.handle == name_or_handle))
    if owner is not None:
        wanted = wanted.where(TOKENS.c.owner == owner)
    found = read_values(connection, wanted.order_by(TOKENS.c.created_at, TOKENS.c.handle), TokenRow)
    if not found:
        raise UnknownNameError("token", name_or_handle)
    return found


def revoke_tokens(connection: Connection, tokens: Collection[TokenRow], now: float) -> list[str]:
    """Revoke tokens and return the handles of those that were not revoked before."""
    live = [token.handle for token in tokens if token.revoked_at is None]
    _change(connection, live, {"revoked_at": now})
    return live


def end_tokens_at(connection: Connection, tokens: Collection[TokenRow], instant: float) -> None:
    """Let tokens expire at an instant, unless they expire earlier anyway."""
    later = [token.handle for token in tokens if (NEVER if token.expires_at is None else token.expires_at) > instant]
    _change(connection, later, {"expires_at": instant})


def check_token_counts(name: str, tokens: Sequence[TokenRow], now: float) -> None:
    """Raise CapacityError if the name with these tokens has too many valid ones, or got too many within a day."""
    valid, new = (
        sum(token.is_valid(now) for token in tokens),
        sum(token.created_at > now - _DAY_S for token in tokens),
    )
    if valid >= MAX_TOKENS_A_NAME:
        raise CapacityError(f"{name!r} has {valid} valid tokens already: revoke some of them")
    if new >= MAX_TOKENS_A_DAY:
        raise CapacityError(f"{name!r} got {new} tokens within a day: rotate it tomorrow")


def _change(connection: Connection, handles: Iterable[str], values: dict[str, float]) -> None:
    """Change tokens, and number each change so that running servers notice it."""
    last = connection.scalar(select(func.max(TOKENS.c.revocation))) or 0
    for number, handle in enumerate(handles, start=last + 1):
        connection.execute(update(TOKENS).where(TOKENS.c.handle == handle).values(values | {"revocation": number}))
