"""Stores logins to the web pages: an owner or organizer gets a code that works once, and with it a session.

A code or session is valid only while its owner, or the organizer of its name, has a valid token. So when all these
tokens are revoked, the sessions end too.
"""

from typing import Any, Final

from sqlalchemy import Connection, delete, insert, or_, select, update

from arena.errors import CapacityError, DeniedError
from arena.plurals import format_count
from arena.server.store.account_values import Scope, TokenRow
from arena.server.store.bans import refuse_banned
from arena.server.store.database import StorePart, read_values, reads, writes
from arena.server.store.secret_text import (
    LOGIN_CODE_PREFIX,
    WEB_SESSION_PREFIX,
    handle_of,
    has_right_checksum,
    hash_secret,
    is_secret_right,
    make_secret,
)
from arena.server.store.tables import LOGIN_CODES, TOKENS, WEB_SESSIONS

CODE_S: Final = 600.0
SESSION_S: Final = 14 * 86_400.0
MAX_CODES: Final = 5
"""The most valid codes of an owner."""
MAX_SESSIONS: Final = 20
"""The most valid sessions of an owner. One more ends the oldest."""
ORGANIZER: Final = "organizer:"
"""Begins the owner of an organizer's code or session; the name of the organizer's token follows. No owner's name has a
colon."""


class LoginStore(StorePart):
    @writes
    def create_code(self, connection: Connection, owner: str) -> tuple[str, float]:
        """Make a login code of an owner. Return it, and when it expires in seconds since 1970.

        Raises CapacityError if the owner has too many valid codes.
        """
        return self._create_code(connection, owner)

    def _create_code(self, connection: Connection, owner: str) -> tuple[str, float]:
        codes, now = LOGIN_CODES.c, self._now()
        connection.execute(delete(LOGIN_CODES).where(codes.owner == owner, codes.expires_at <= now))
        valid = connection.execute(select(codes.handle).where(codes.owner == owner, codes.used_at.is_(None))).all()
        if len(valid) >= MAX_CODES:
            count = format_count(len(valid), "unused login code")
            raise CapacityError(f"{owner!r} already has {count}, the most allowed: use one, or wait ten minutes")
        code = make_secret(LOGIN_CODE_PREFIX)
        row = {"handle": handle_of(code), "code_hash": hash_secret(code), "owner": owner, "created_at": now}
        connection.execute(insert(LOGIN_CODES), row | {"expires_at": now + CODE_S})
        return code, now + CODE_S

    @writes
    def create_organizer_code(self, connection: Connection, name: str) -> tuple[str, float]:
        """As `create_code`, for the organizer whose tokens have this name.

        Raises DeniedError if none of them is valid and has the scope `organize`.
        """
        if not _has_token(connection, ORGANIZER + name, self._now()):
            raise DeniedError(f"no valid token with the name {name!r} has the scope {Scope.ORGANIZE.value!r}")
        return self._create_code(connection, ORGANIZER + name)

    @writes
    def redeem_code(self, connection: Connection, code: str) -> str:
        """Use up a code and return the secret of a new session of its owner, in one transaction.

        Raises DeniedError for a code that is not valid. The text does not say why. Raises BannedError.
        """
        now = self._now()
        row = _find_secret(connection, LOGIN_CODES, "code_hash", code)
        if row is None or row.used_at is not None or not _lasts(connection, row, now):
            raise DeniedError("this login code is not valid: it is unknown, used or expired; ask for a new one")
        refuse_banned(connection, row.owner)
        connection.execute(update(LOGIN_CODES).where(LOGIN_CODES.c.handle == row.handle).values(used_at=now))
        _make_room(connection, row.owner, now)
        secret = make_secret(WEB_SESSION_PREFIX)
        session = {
            "handle": handle_of(secret),
            "secret_hash": hash_secret(secret),
            "owner": row.owner,
            "created_at": now,
            "expires_at": now + SESSION_S,
        }
        connection.execute(insert(WEB_SESSIONS), session)
        return secret

    @reads
    def check_session(self, connection: Connection, secret: str) -> str:
        """Return the owner of a session. Raises DeniedError if no valid session has this secret, and BannedError."""
        row = _find_secret(connection, WEB_SESSIONS, "secret_hash", secret)
        if row is None or row.ended_at is not None or not _lasts(connection, row, self._now()):
            raise DeniedError("this session is over: log in again")
        owner: str = row.owner
        refuse_banned(connection, owner)
        return owner

    @writes
    def end_session(self, connection: Connection, secret: str) -> None:
        """End a session; do nothing if it has ended or never was."""
        if _find_secret(connection, WEB_SESSIONS, "secret_hash", secret) is not None:
            _end_session(connection, handle_of(secret), self._now())


def _make_room(connection: Connection, owner: str, now: float) -> None:
    """Delete the sessions of an owner that are over, and end the oldest if there is no room for another one."""
    sessions = WEB_SESSIONS.c
    is_over = or_(sessions.ended_at.is_not(None), sessions.expires_at <= now)
    connection.execute(delete(WEB_SESSIONS).where(sessions.owner == owner, is_over))
    valid = select(sessions.handle).where(sessions.owner == owner).order_by(sessions.created_at, sessions.handle)
    handles = connection.scalars(valid).all()
    for handle in handles[: max(0, len(handles) + 1 - MAX_SESSIONS)]:
        _end_session(connection, handle, now)


def _end_session(connection: Connection, handle: str, now: float) -> None:
    sessions = WEB_SESSIONS.c
    ending = update(WEB_SESSIONS).where(sessions.handle == handle, sessions.ended_at.is_(None))
    connection.execute(ending.values(ended_at=now))


def _find_secret(connection: Connection, table: Any, column: str, secret: str) -> Any:
    """Return the row of a secret, valid or not; None if no row has this secret."""
    if not has_right_checksum(secret):
        return None
    row = connection.execute(select(table).where(table.c.handle == handle_of(secret))).one_or_none()
    is_right = is_secret_right(secret, None if row is None else getattr(row, column))
    return row if is_right else None


def _lasts(connection: Connection, row: Any, now: float) -> bool:
    """Return whether a code or session has not expired, and its owner or organizer has a valid token."""
    return row.expires_at > now and _has_token(connection, row.owner, now)


def _has_token(connection: Connection, owner: str, now: float) -> bool:
    """Return whether an owner, or the organizer that is named as `ORGANIZER` says, has a valid token."""
    name = owner.removeprefix(ORGANIZER)
    is_organizer = name != owner
    holder, scope = (None, Scope.ORGANIZE) if is_organizer else (owner, Scope.OWN)
    own = select(TOKENS).where(TOKENS.c.name == name, TOKENS.c.owner.is_not_distinct_from(holder))
    return any(token.is_valid(now) and scope in token.scopes for token in read_values(connection, own, TokenRow))
