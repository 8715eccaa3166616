"""Stores access tokens: names, scopes, and hashes of secrets. A secret is shown once and never stored.

    cat_ | 8 letters and digits: the handle | 32: the secret part, 190 bits | 6: crc32 of all before, base 62

The handle identifies the token and may be shown and logged. The checksum lets secret scanners tell a real secret from a
look-alike, and lets this module refuse a mistyped secret without a lookup.
"""

import hmac
import re
import secrets
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from string import ascii_letters, digits
from typing import Any, Final

from sqlalchemy import Row, func, insert, or_, select, update

from arena.errors import DeniedError, OptionError, UnknownNameError
from arena.store.batcher import Batcher
from arena.store.database import Database, shield_from_cancel
from arena.store.tables import TOKENS
from arena.store.token_identity import Revocations, Scope, TokenIdentity

SECRET_PATTERN: Final = r"\bcat_[0-9A-Za-z]{46}\b"  # noqa: S105  a pattern, not a secret
"""Finds secrets in text; `has_right_checksum` tells which ones are real."""

_PREFIX: Final = "cat_"
_ALPHABET: Final = digits + ascii_letters
_HANDLE_LENGTH: Final = len(_PREFIX) + 8
_CHECKSUM_LENGTH: Final = 6
_NO_HASH: Final = bytes(32)
_NAME_PATTERN: Final = re.compile(r"(?!cat_)[0-9A-Za-z](?:[0-9A-Za-z ._+#-]{0,30}[0-9A-Za-z])?")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token without its secret; times are wall clock, seconds since 1970."""

    handle: str
    name: str
    scopes: frozenset[Scope]
    created_at: float
    expires_at: float | None
    revoked_at: float | None


class TokenStore:
    """Creates, lists, revokes and checks tokens. Every call raises StoreError if the store cannot be used."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now
        self._lookups = Batcher(self._find_by_handles)

    @shield_from_cancel
    async def create(self, name: str, scopes: Iterable[str], ttl: timedelta | None = None) -> str:
        """Create a token and return its secret, which cannot be retrieved later. A name may have several tokens.

        Raises OptionError for an invalid name, scope or time to live.
        """
        if ttl is not None and ttl <= timedelta(0):
            raise OptionError("ttl", str(ttl), "expected a positive time to live")
        body = _PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(40))
        secret = body + _compute_checksum(body)
        created_at = self._now()
        row = {
            "handle": secret[:_HANDLE_LENGTH],
            "name": normalize_name(name),
            "scopes": sorted(_parse_scopes(scopes)),
            "secret_hash": sha256(secret.encode()).digest(),
            "created_at": created_at,
            "expires_at": None if ttl is None else created_at + ttl.total_seconds(),
        }
        async with self._database.write_transaction() as connection:
            await connection.execute(insert(TOKENS), row)
        return secret

    @shield_from_cancel
    async def list(self) -> Sequence[TokenRow]:
        """Return all tokens ordered by name, oldest first within a name."""
        wanted = select(TOKENS).order_by(TOKENS.c.name, TOKENS.c.created_at, TOKENS.c.handle)
        async with self._database.read_connection() as connection:
            rows = (await connection.execute(wanted)).all()
        return [
            TokenRow(row.handle, row.name, _scopes_from_row(row), row.created_at, row.expires_at, row.revoked_at)
            for row in rows
        ]

    @shield_from_cancel
    async def revoke(self, name_or_handle: str) -> Sequence[str]:
        """Revoke a token by its handle, or all tokens of a name; return the handles that were valid before.

        Raises UnknownNameError if there is no such token.
        """
        named = or_(TOKENS.c.name == name_or_handle, TOKENS.c.handle == name_or_handle)
        wanted = select(TOKENS.c.handle, TOKENS.c.revoked_at).where(named).order_by(TOKENS.c.created_at)
        async with self._database.write_transaction() as connection:
            rows = (await connection.execute(wanted)).all()
            valid = [row.handle for row in rows if row.revoked_at is None]
            last = await connection.scalar(select(func.max(TOKENS.c.revocation)))
            for revocation, handle in enumerate(valid, start=(last or 0) + 1):
                gone = {"revoked_at": self._now(), "revocation": revocation}
                await connection.execute(update(TOKENS).where(TOKENS.c.handle == handle).values(gone))
        if not rows:
            raise UnknownNameError("token", name_or_handle)
        return valid

    @shield_from_cancel
    async def revocations_since(self, revision: int) -> Revocations:
        """Return the tokens revoked by any process after a revision; 0 means all. A server asks twice a second."""
        wanted = select(TOKENS.c.handle, TOKENS.c.revocation).where(TOKENS.c.revocation > revision)
        async with self._database.read_connection() as connection:
            rows = (await connection.execute(wanted.order_by(TOKENS.c.revocation))).all()
        return Revocations(rows[-1].revocation if rows else revision, tuple(row.handle for row in rows))

    @shield_from_cancel
    async def check(self, secret: str) -> TokenIdentity:
        """Return the identity of a secret's holder. Raises DeniedError.

        Unknown and wrong secrets take the same path and get the same text. Only the holder of the secret learns that a
        token has expired or was revoked.
        """
        if not has_right_checksum(secret):
            raise DeniedError("this is not a token: expected cat_ and 46 letters and digits, copied completely")
        row = await self._lookups.submit(secret[:_HANDLE_LENGTH])
        stored_hash = _NO_HASH if row is None else row.secret_hash
        is_right = hmac.compare_digest(stored_hash, sha256(secret.encode()).digest())
        if row is None or not is_right:
            raise DeniedError("this token is unknown here")
        if row.revoked_at is not None:
            raise DeniedError(f"the token of {row.name!r} was revoked")
        if row.expires_at is not None and row.expires_at <= self._now():
            raise DeniedError(f"the token of {row.name!r} has expired")
        return TokenIdentity(row.name, _scopes_from_row(row), row.handle, row.expires_at)

    async def _find_by_handles(self, handles: Sequence[str]) -> "Sequence[Row[Any] | None]":
        """Return the tokens with these handles, in one query; None for a handle without a token."""
        wanted = select(TOKENS).where(TOKENS.c.handle.in_(set(handles)))
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        by_handle = {row.handle: row for row in rows}
        return [by_handle.get(handle) for handle in handles]


def has_right_checksum(secret: str) -> bool:
    """Return whether a text has the form of a secret and the right checksum."""
    if re.fullmatch(SECRET_PATTERN, secret) is None:
        return False
    return secret[-_CHECKSUM_LENGTH:] == _compute_checksum(secret[:-_CHECKSUM_LENGTH])


def normalize_name(name: str) -> str:
    """Return a name in its canonical form (NFKC). Raises OptionError if it is invalid."""
    plain = unicodedata.normalize("NFKC", name)
    if _NAME_PATTERN.fullmatch(plain) is None:
        allowed = (
            "1 to 32 letters a-z, digits, spaces or . _ + -, with a letter or digit at both ends, and no cat_ in front"
        )
        raise OptionError("name", name, allowed)
    return plain


def _compute_checksum(body: str) -> str:
    """Return the crc32 of a secret's body as six digits of base 62, most significant first."""
    rest, letters = zlib.crc32(body.encode()), ""
    for _ in range(_CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(_ALPHABET))
        letters = _ALPHABET[digit] + letters
    return letters


def _parse_scopes(scopes: Iterable[str]) -> frozenset[Scope]:
    """Return the scopes with these names. Raises OptionError for an unknown name, and if there is none."""
    wanted = frozenset(scopes)
    if not wanted or not wanted <= frozenset(Scope):
        raise OptionError("scopes", sorted(wanted), f"some of {', '.join(Scope)}")
    return frozenset(Scope(scope) for scope in wanted)


def _scopes_from_row(row: Row[Any]) -> frozenset[Scope]:
    """Return the scopes of a stored token."""
    return frozenset(Scope(scope) for scope in row.scopes)
