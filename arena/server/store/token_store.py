"""Stores access tokens: names, owners, scopes, and hashes of secrets. A secret is shown once and never stored."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, or_, select, update

from arena.bots.submissions.submission import STOPPED, SubmissionState
from arena.errors import BannedError, DeniedError, OptionError
from arena.server.store.account_values import OWNER_SCOPES, NewToken, Revocations, Scope, TokenIdentity, TokenRow
from arena.server.store.bans import banned_owners, is_shut_out
from arena.server.store.batcher import Batcher
from arena.server.store.database import (
    Database,
    StorePart,
    read_values,
    reads,
    shield_from_cancel,
    value_from_row,
    writes,
)
from arena.server.store.secret_text import TOKEN_PREFIX, handle_of, has_right_checksum, is_secret_right
from arena.server.store.tables import BANS, KEEPS_VERSION, SUBMISSIONS, TOKENS
from arena.server.store.taken_names import find_owned_look_alikes
from arena.server.store.token_rows import (
    check_token_counts,
    end_tokens_at,
    find_tokens,
    insert_local_token,
    insert_token,
    revoke_tokens,
)

MAX_OVERLAP: Final = timedelta(days=30)

_USE_UPDATE: Final = (
    update(TOKENS)
    .where(
        TOKENS.c.handle == bindparam("used"),
        or_(TOKENS.c.last_used_at.is_(None), TOKENS.c.last_used_at < bindparam("at")),
    )
    .values(last_used_at=bindparam("at"))
)


class TokenStore(StorePart):
    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        super().__init__(database, now)
        self._lookups = Batcher(database.read, self._find_by_handles)

    @writes
    def create(
        self,
        connection: Connection,
        name: str,
        scopes: Iterable[str],
        ttl: timedelta | None = None,
        owner: str | None = None,
        league: str | None = None,
        version: str | None = None,
    ) -> str:
        """Create a token and return its secret, which cannot be retrieved later. A name may have several tokens.

        `league` is the id of the league that the token is made for. `version` is the version, as in `bot.toml`, of the
        submitted bot that the arena runs with it.

        Raises OptionError for an invalid name, scope or time to live, and BannedError for a banned owner.
        """
        wanted, ttl_s = _parse_scopes(scopes), _positive_seconds(ttl)
        return insert_token(
            connection, name, wanted, self._now(), owner=owner, ttl_s=ttl_s, league=league, version=version
        )

    @writes
    def create_submit_token(self, connection: Connection, owner: str, ttl: timedelta) -> tuple[str, float]:
        """Raises CapacityError if the owner's name has too many valid tokens, or got too many within a day."""
        now, ttl_s = self._now(), ttl.total_seconds()
        check_token_counts(owner, find_tokens(connection, owner, owner), now)
        return insert_token(connection, owner, [Scope.SUBMIT], now, owner=owner, ttl_s=ttl_s), now + ttl_s

    @writes
    def create_local(self, connection: Connection, name: str, ttl: timedelta) -> str:
        """Create a token to play for a bot that the arena itself starts, and return its secret.

        Raises OptionError if an owner has this name or one that looks like it.
        """
        return insert_local_token(connection, name, self._now(), ttl.total_seconds())

    @writes
    def reserve_local(self, connection: Connection, names: Iterable[str]) -> None:
        """Reserve the names of bots that the arena will start. No owner can take a reserved name.

        A name without a token gets one that has expired, because every name that ever had a token counts as taken.
        Raises OptionError if an owner has one of these names or one that looks like it. Then nothing is reserved.
        """
        known = set(connection.scalars(select(TOKENS.c.name).where(TOKENS.c.owner.is_(None))))
        for name in names:
            if name not in known or any(find_owned_look_alikes(connection, name, None)):
                insert_local_token(connection, name, self._now(), ttl_s=0.0)

    @reads
    def list(self, connection: Connection) -> Sequence[TokenRow]:
        """Return all tokens ordered by name, oldest first within a name."""
        wanted = select(TOKENS).order_by(TOKENS.c.name, TOKENS.c.created_at, TOKENS.c.handle)
        return read_values(connection, wanted, TokenRow)

    @writes
    def revoke(self, connection: Connection, name_or_handle: str, owner: str | None = None) -> Sequence[str]:
        """Revoke a token by its handle, or all tokens of a name; return the handles that were valid before.

        A submitted version that the arena runs with one of them becomes inactive, or the arena would make it another.
        If `owner` is given, other owners' tokens count as unknown. Raises UnknownNameError if there is no such token.
        """
        found = find_tokens(connection, name_or_handle, owner)
        live = revoke_tokens(connection, found, self._now())
        for token in found:
            if token.version is not None and (token.name == name_or_handle or token.handle in live):
                _stop_version(connection, token, self._now())
        return live

    @writes
    def end_version(self, connection: Connection, handle: str) -> None:
        """Revoke a token with which the arena itself ran a submitted version. Raises UnknownNameError."""
        revoke_tokens(connection, find_tokens(connection, handle, None), self._now())

    @reads
    def list_version_tokens(self, connection: Connection) -> Sequence[TokenRow]:
        """Return the valid tokens with which the arena runs submitted bots, oldest first.

        Those of owners who are shut out are not valid.
        """
        wanted = select(TOKENS).where(TOKENS.c.version.is_not(None), TOKENS.c.revoked_at.is_(None))
        wanted = wanted.where(~is_shut_out(TOKENS.c.owner)).order_by(TOKENS.c.created_at, TOKENS.c.handle)
        return [token for token in read_values(connection, wanted, TokenRow) if token.is_valid(self._now())]

    @writes
    def retire(self, connection: Connection, handle: str, until: float) -> None:
        """Let the sessions of a version take no more seats, because another version has replaced it.

        Its token expires at this instant, in seconds since 1970, or earlier. Raises UnknownNameError.
        """
        end_tokens_at(connection, find_tokens(connection, handle, None), until)

    @writes
    def extend_league(self, connection: Connection, league: str, until: float) -> None:
        """Let the tokens of a league stay valid until this time at least, in seconds since 1970.

        Revoked tokens, and tokens that were rotated, stay as they are.
        """
        is_earlier = (TOKENS.c.league == league) & TOKENS.c.revocation.is_(None) & (TOKENS.c.expires_at < until)
        connection.execute(update(TOKENS).where(is_earlier).values(expires_at=until))

    @writes
    def end_league(self, connection: Connection, league: str) -> Sequence[str]:
        """Revoke the tokens of a league, and return their handles. Owners keep the tokens of their bots."""
        wanted = select(TOKENS).where(TOKENS.c.league == league, TOKENS.c.owner.is_(None))
        return revoke_tokens(connection, read_values(connection, wanted, TokenRow), self._now())

    @writes
    def rotate(
        self,
        connection: Connection,
        name_or_handle: str,
        overlap: timedelta,
        owner: str | None = None,
        ttl: timedelta | None = None,
    ) -> NewToken:
        """Create a successor of a token, or of all tokens of a name.

        The predecessors expire after the overlap, which is 0 to 30 days. If `ttl` is None, the new token gets the time
        to live that the newest predecessor got when it was made. A token of a league stays one. If `owner` is
        given, other owners' tokens count as unknown. Tokens with which the arena runs a submitted bot are left as they
        are: nobody else may say that a program is a version that was submitted.

        Raises UnknownNameError if there is no such token. Raises OptionError for a bad overlap, for tokens that have
        all ended, and for a name whose tokens differ in scopes. Raises CapacityError if the name has too many valid
        tokens, or got too many within a day.
        """
        if not timedelta(0) <= overlap <= MAX_OVERLAP:
            raise OptionError("overlap", str(overlap), f"expected 0 to {MAX_OVERLAP.days} days")
        ttl_s, now = _positive_seconds(ttl), self._now()
        found = find_tokens(connection, name_or_handle, owner)
        if all(token.version is not None for token in found):
            raise OptionError("token", name_or_handle, "the arena runs a submitted bot with it: it needs no other one")
        own = [token for token in found if token.version is None]
        current = [token for token in own if token.is_valid(now) and token.revocation is None]
        if not current:
            raise OptionError("token", name_or_handle, "it has expired, or was rotated or revoked: create a new one")
        newest = current[-1]
        if any(token.scopes != newest.scopes for token in current):
            raise OptionError("token", name_or_handle, "it has tokens for different purposes: name one by its handle")
        check_token_counts(newest.name, find_tokens(connection, newest.name, owner), now)
        if ttl_s is None and newest.expires_at is not None:
            ttl_s = newest.expires_at - newest.created_at
        secret = insert_token(
            connection, newest.name, newest.scopes, now, owner=newest.owner, ttl_s=ttl_s, league=newest.league
        )
        end_tokens_at(connection, current, now + overlap.total_seconds())
        return NewToken(newest.name, newest.scopes, secret)

    @reads
    def revocations_since(self, connection: Connection, revision: int) -> Revocations:
        """Return the tokens that any process revoked or rotated after a revision, and all banned owners.

        Revision 0 returns all revoked and rotated tokens. A server asks twice a second.
        """
        wanted = select(TOKENS.c.handle, TOKENS.c.revocation, TOKENS.c.revoked_at, TOKENS.c.expires_at)
        wanted = wanted.where(TOKENS.c.revocation > revision).order_by(TOKENS.c.revocation)
        rows = connection.execute(wanted).all()
        return Revocations(
            rows[-1].revocation if rows else revision,
            tuple(row.handle for row in rows if row.revoked_at is not None),
            {row.handle: row.expires_at for row in rows if row.revoked_at is None},
            banned_owners(connection),
        )

    @shield_from_cancel
    async def record_uses(self, uses: Mapping[str, float]) -> None:
        """Record in one transaction when tokens were last used. `uses` has seconds since 1970 by handle."""
        values = [{"used": handle, "at": at} for handle, at in uses.items()]
        if values:
            await self._database.write(lambda connection: connection.execute(_USE_UPDATE, values))

    @shield_from_cancel
    async def check(self, secret: str) -> TokenIdentity:
        """Return the identity of a secret's holder. Raises DeniedError if the secret belongs to no valid token.

        Raises BannedError if the token's owner is banned. Unknown and wrong secrets take the same path and get the same
        error text. Only the holder of the secret learns that its owner is banned, that it has expired or was revoked.
        """
        if not secret.startswith(TOKEN_PREFIX) or not has_right_checksum(secret):
            raise DeniedError("this is not a token: expected cat_ and 46 letters and digits, copied completely")
        row = await self._lookups.submit(handle_of(secret))
        is_right = is_secret_right(secret, None if row is None else row.secret_hash)
        if row is None or not is_right:
            raise DeniedError("this token is unknown here")
        token = value_from_row(row, TokenRow)
        if token.owner is not None and row.because is not None:
            raise BannedError(token.owner, row.because)
        if token.revoked_at is not None:
            raise DeniedError(f"the token of {token.name!r} was revoked")
        if not token.is_valid(self._now()):
            raise DeniedError(f"the token of {token.name!r} has expired")
        return TokenIdentity(
            token.name,
            token.scopes,
            token.handle,
            token.expires_at,
            token.owner,
            token.version,
            token.is_retiring,
            tuple(row.pools or ()),
        )

    def _find_by_handles(self, connection: Connection, handles: Sequence[str]) -> "Sequence[Row[Any] | None]":
        """Return the tokens with these handles; None for a handle without a token.

        Each has the reason for the ban of its owner, and the pools of its submitted version.
        """
        ban = (BANS.c.owner == TOKENS.c.owner) & BANS.c.lifted_at.is_(None)
        columns = SUBMISSIONS.c
        submitted = (columns.bot == TOKENS.c.name) & (columns.version == TOKENS.c.version) & KEEPS_VERSION
        wanted = select(TOKENS, BANS.c.because, columns.pools).outerjoin(BANS, ban).outerjoin(SUBMISSIONS, submitted)
        wanted = wanted.where(TOKENS.c.handle.in_(set(handles)))
        by_handle = {row.handle: row for row in connection.execute(wanted)}
        return [by_handle.get(handle) for handle in handles]


def _stop_version(connection: Connection, token: TokenRow, now: float) -> None:
    """Let a version play no more until its owner activates it again."""
    columns = SUBMISSIONS.c
    running = update(SUBMISSIONS).where(columns.bot == token.name, columns.version == token.version)
    running = running.where(columns.state == SubmissionState.ACTIVE)
    connection.execute(running.values(state=SubmissionState.INACTIVE, sentence=STOPPED, changed_at=now))


def _positive_seconds(ttl: timedelta | None) -> float | None:
    """Return a time to live in seconds. Raises OptionError if it is not positive."""
    if ttl is not None and ttl <= timedelta(0):
        raise OptionError("ttl", str(ttl), "expected a positive time to live")
    return None if ttl is None else ttl.total_seconds()


def _parse_scopes(scopes: Iterable[str]) -> frozenset[Scope]:
    """Return the scopes with these names. Raises OptionError for an unknown name, and for an empty list."""
    wanted = frozenset(scopes)
    if not wanted or not wanted <= frozenset(Scope):
        raise OptionError("scopes", sorted(wanted), f"some of {', '.join(Scope)}")
    owners = sorted(wanted & OWNER_SCOPES)
    if owners and len(wanted) > 1:
        allowed = f"{owners[0]} stands alone: an owner's token neither plays nor organizes"
        raise OptionError("scopes", sorted(wanted), allowed)
    return frozenset(Scope(scope) for scope in wanted)
