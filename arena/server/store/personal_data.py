"""Exports, renames and forgets what the store has of an owner. Each change is one transaction, and may be repeated.

What is sealed is never changed: journals, receipts and the terms of matches bind the names of bots, and the seal of a
league all that its file and its ledger say. Nobody may use the data folder meanwhile but the caller: a server that runs
would go on to store the old name.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, Connection, Table, delete, func, insert, or_, select, update

from arena.bots.submissions.submission import FINAL, SubmissionState
from arena.errors import UnknownNameError
from arena.match.referee.sealed_results import has_sealed_faults, open_faults
from arena.server.store.account_values import OWNER_SCOPES, TokenRow
from arena.server.store.bans import refuse_banned
from arena.server.store.database import StorePart, read_values, reads, writes
from arena.server.store.pool_tables import POOL_RATING_POINTS, POOL_RATINGS, POOL_ROUNDS, POOL_SEATS
from arena.server.store.sealed_rows import read_seeds
from arena.server.store.tables import (
    BANS,
    BOTS,
    INVITATIONS,
    LEAGUE_ACTS,
    LEAGUES,
    LOGIN_CODES,
    MATCH_BOTS,
    MATCHES,
    OWNERS,
    SUBMISSION_STEPS,
    SUBMISSIONS,
    TOKENS,
    UPLOADS,
    WEB_SESSIONS,
)
from arena.server.store.taken_names import name_skeleton, normalize_name, refuse_reserved_name, refuse_taken_name
from arena.server.store.token_rows import revoke_tokens

OWNER_COLUMNS: Final[tuple[Column[Any], ...]] = (
    BOTS.c.owner,
    BANS.c.owner,
    TOKENS.c.owner,
    INVITATIONS.c.owner,
    INVITATIONS.c.used_by,
    LOGIN_CODES.c.owner,
    WEB_SESSIONS.c.owner,
    SUBMISSIONS.c.owner,
    UPLOADS.c.owner,
    POOL_SEATS.c.owner,
)
"""Every column with the name of an owner, except in OWNERS. The inputs of matchmakers (POOL_ROUNDS) have it too."""
BOT_COLUMNS: Final[tuple[Column[Any], ...]] = (POOL_RATINGS.c.bot, POOL_RATING_POINTS.c.bot)
"""Columns by which rows belong to an owner's bots, and are exported, besides those above."""
_PSEUDONYM: Final = re.compile(r"forgotten-[0-9a-f]{8}")
_SECRET: Final = re.compile(r".*_hash")


@dataclass(frozen=True, slots=True)
class SealedTraces:
    """What is left of the old name of an owner, or of the names of the bots, where nothing can be changed."""

    match_count: int
    """Recorded matches of the owner's bots, which bear the names of the bots."""
    bots: tuple[str, ...]
    """The bots that played in them."""
    leagues: tuple[str, ...]
    """The leagues whose sealed file or ledger has one of the names."""


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The files of an owner who can do nothing any more."""

    uploads: tuple[str, ...]
    """The ids of the uploads that were under way."""
    packages: tuple[str, ...]
    """The packages of withdrawn and refused submissions; others may have submitted the same."""


class PersonalDataStore(StorePart):
    @reads
    def export(self, connection: Connection, owner: str) -> Mapping[str, Any]:
        """Return all rows of an owner and of the owner's bots by table, without the hashes of secrets.

        Matches have the strikes of these bots alone. Raises UnknownNameError.
        """
        _require_owner(connection, owner)
        bots = _bots_of(connection, owner)
        found = {"owner": _rows(connection, OWNERS, [OWNERS.c.name], [owner])}
        for table, columns in _by_table(OWNER_COLUMNS).items():
            found[table.name] = _rows(connection, table, columns, [owner])
        for table, columns in _by_table(BOT_COLUMNS).items():
            found[table.name] = _rows(connection, table, columns, bots)
        ids = [row["submission_id"] for row in found[SUBMISSIONS.name]]
        found[SUBMISSION_STEPS.name] = _rows(connection, SUBMISSION_STEPS, [SUBMISSION_STEPS.c.submission_id], ids)
        matches = connection.scalars(select(MATCH_BOTS.c.match_id).where(MATCH_BOTS.c.bot.in_(bots)).distinct()).all()
        rows = _rows(connection, MATCHES, [MATCHES.c.match_id], matches)
        seeds = read_seeds(connection, [row["match_id"] for row in rows if has_sealed_faults(row["faults"])])
        found[MATCHES.name] = [
            {**row, "faults": open_faults(_own_faults(row, bots), seeds.get(row["match_id"]))} for row in rows
        ]
        return found | {"named_in_leagues": [*_find_leagues(connection, [owner, *bots])]}

    @writes
    def rename(self, connection: Connection, owner: str, new: str) -> SealedTraces:
        """Give an owner another name, and do nothing if it is the same. The bots keep theirs.

        Raises UnknownNameError, and OptionError if the name is invalid, is taken or looks like a taken one.
        """
        _require_owner(connection, owner)
        plain = normalize_name(new, "new")
        if plain != owner:
            refuse_reserved_name(connection, "new", plain, owner, self._now())
            refuse_taken_name(connection, "new", plain, owner)
        traces = _find_traces(connection, owner)
        if plain != owner:
            _replace_owner(connection, owner, plain)
        return traces

    @writes
    def shut_out(self, connection: Connection, owner: str) -> OwnFiles:
        """Revoke an owner's tokens and invitations, end sessions, withdraw all versions, and return the files left.

        Raises UnknownNameError, and BannedError: a banned owner who is forgotten could join again under the same name.
        """
        _require_owner(connection, owner)
        refuse_banned(connection, owner)
        _end_access(connection, owner, self._now())
        _withdraw_versions(connection, owner, self._now())
        uploads = connection.scalars(select(UPLOADS.c.upload_id).where(UPLOADS.c.owner == owner)).all()
        packages = connection.scalars(
            select(SUBMISSIONS.c.package).where(SUBMISSIONS.c.owner == owner).distinct()
        ).all()
        return OwnFiles(tuple(uploads), tuple(packages))

    @writes
    def forget(self, connection: Connection, owner: str, pseudonym: str) -> tuple[str, SealedTraces]:
        """Replace the name of an owner who is shut out by a pseudonym, and return it with what keeps the old one.

        Contact, profiles, uploads and reasons of bans are deleted, and so are the bots that never played. An owner who
        is forgotten already keeps the pseudonym. Raises UnknownNameError.
        """
        _require_owner(connection, owner)
        traces = _find_traces(connection, owner)
        _delete_unplayed(connection, owner, traces.bots)
        connection.execute(delete(UPLOADS).where(UPLOADS.c.owner == owner))
        connection.execute(update(BANS).where(BANS.c.owner == owner).values(because=""))
        connection.execute(update(OWNERS).where(OWNERS.c.name == owner).values(contact=""))
        connection.execute(update(BOTS).where(BOTS.c.owner == owner).values(profile={}))
        if is_pseudonym(owner):
            return owner, traces
        refuse_taken_name(connection, "pseudonym", pseudonym, owner)
        _replace_owner(connection, owner, pseudonym)
        return pseudonym, traces


def make_pseudonym(draw: Callable[[int], bytes]) -> str:
    """Return a new name for a forgotten owner. `draw` takes a count and returns that many random bytes."""
    return f"forgotten-{draw(4).hex()}"


def is_pseudonym(owner: str) -> bool:
    return _PSEUDONYM.fullmatch(owner) is not None


def _require_owner(connection: Connection, owner: str) -> None:
    if connection.scalar(select(OWNERS.c.name).where(OWNERS.c.name == owner)) is None:
        raise UnknownNameError("owner", owner)


def _bots_of(connection: Connection, owner: str) -> Sequence[str]:
    return connection.scalars(select(BOTS.c.name).where(BOTS.c.owner == owner).order_by(BOTS.c.name)).all()


def _by_table(columns: Sequence[Column[Any]]) -> Mapping[Table, list[Column[Any]]]:
    tables: dict[Table, list[Column[Any]]] = {}
    for column in columns:
        tables.setdefault(column.table, []).append(column)
    return tables


def _rows(
    connection: Connection, table: Table, columns: Sequence[Column[Any]], values: Collection[str]
) -> list[Mapping[str, Any]]:
    """Return the rows in which one of the columns has one of these values, without the hashes of secrets."""
    shown = [column for column in table.columns if not _SECRET.fullmatch(column.name)]
    wanted = select(*shown).where(or_(*(column.in_(values) for column in columns)))
    return [dict(row._mapping) for row in connection.execute(wanted)]  # noqa: SLF001  SQLAlchemy's public name


def _own_faults(match: Mapping[str, Any], bots: Collection[str]) -> list[Mapping[str, Any]]:
    """Return the strikes of these bots in a match: only the owner sees what a bot says about them."""
    return [fault for fault in match["faults"] if match["entrants"][fault["entrant"]].partition("/")[0] in bots]


def _find_traces(connection: Connection, owner: str) -> SealedTraces:
    bots = _bots_of(connection, owner)
    played = select(MATCH_BOTS.c.bot).where(MATCH_BOTS.c.bot.in_(bots)).distinct()
    seated = select(POOL_SEATS.c.bot).where(POOL_SEATS.c.bot.in_(bots)).distinct()
    matches = select(func.count(MATCH_BOTS.c.match_id.distinct())).where(MATCH_BOTS.c.bot.in_(bots))
    names = {*connection.scalars(played), *connection.scalars(seated)}
    return SealedTraces(
        connection.scalar(matches) or 0, tuple(sorted(names)), tuple(_find_leagues(connection, [owner, *bots]))
    )


def _find_leagues(connection: Connection, names: Collection[str]) -> list[str]:
    """Return the leagues whose file or ledger has one of these names as a word of its own."""
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    found = {row.name for row in connection.execute(select(LEAGUES.c.name, LEAGUES.c.text)) if pattern.search(row.text)}
    for row in connection.execute(select(LEAGUE_ACTS.c.league, LEAGUE_ACTS.c["values"])):
        if row.league not in found and pattern.search(json.dumps(row[1], ensure_ascii=False)):
            found.add(row.league)
    return sorted(found)


def _replace_owner(connection: Connection, old: str, new: str) -> None:
    """Replace the name of an owner in all rows. The new name is free."""
    _rename_own_tokens(connection, old, new)
    (row,) = connection.execute(select(OWNERS).where(OWNERS.c.name == old))
    connection.execute(insert(OWNERS).values({**row._asdict(), "name": new, "skeleton": name_skeleton(new)}))
    for column in OWNER_COLUMNS:
        connection.execute(update(column.table).where(column == old).values({column.name: new}))
    connection.execute(delete(OWNERS).where(OWNERS.c.name == old))
    for row in connection.execute(select(POOL_ROUNDS.c.round_id, POOL_ROUNDS.c.inputs)).all():
        seekers = [*row.inputs.get("seekers", ()), *row.inputs.get("house", ())]
        if own := [each for each in seekers if each.get("owner") == old]:
            for each in own:
                each["owner"] = new
            change = update(POOL_ROUNDS).where(POOL_ROUNDS.c.round_id == row.round_id)
            connection.execute(change.values(inputs=row.inputs))


def _rename_own_tokens(connection: Connection, old: str, new: str) -> None:
    """Rename the tokens that stand for an owner. A bot may have the owner's name, and keeps it."""
    named = select(TOKENS).where(TOKENS.c.owner == old, TOKENS.c.name == old)
    own = [token.handle for token in read_values(connection, named, TokenRow) if token.scopes & OWNER_SCOPES]
    connection.execute(update(TOKENS).where(TOKENS.c.handle.in_(own)).values(name=new))


def _end_access(connection: Connection, owner: str, now: float) -> None:
    """Revoke tokens and open invitations, and delete sessions and login codes."""
    revoke_tokens(connection, read_values(connection, select(TOKENS).where(TOKENS.c.owner == owner), TokenRow), now)
    is_open = INVITATIONS.c.used_at.is_(None) & INVITATIONS.c.revoked_at.is_(None)
    connection.execute(update(INVITATIONS).where(INVITATIONS.c.owner == owner, is_open).values(revoked_at=now))
    for table in (LOGIN_CODES, WEB_SESSIONS):
        connection.execute(delete(table).where(table.c.owner == owner))


def _withdraw_versions(connection: Connection, owner: str, now: float) -> None:
    """Withdraw all versions, and delete what was told of them and their logs."""
    own = SUBMISSIONS.c.owner == owner
    withdrawn = update(SUBMISSIONS).where(own, SUBMISSIONS.c.state.not_in(FINAL))
    connection.execute(withdrawn.values(state=SubmissionState.WITHDRAWN, changed_at=now))
    connection.execute(update(SUBMISSIONS).where(own).values(sentence=""))
    ids = select(SUBMISSIONS.c.submission_id).where(own)
    connection.execute(
        update(SUBMISSION_STEPS).where(SUBMISSION_STEPS.c.submission_id.in_(ids)).values(log="", sentence="")
    )


def _delete_unplayed(connection: Connection, owner: str, played: Collection[str]) -> None:
    """Delete the bots that never played, with their versions and tokens."""
    names = [bot for bot in _bots_of(connection, owner) if bot not in played]
    ids = select(SUBMISSIONS.c.submission_id).where(SUBMISSIONS.c.bot.in_(names))
    connection.execute(delete(SUBMISSION_STEPS).where(SUBMISSION_STEPS.c.submission_id.in_(ids)))
    connection.execute(delete(SUBMISSIONS).where(SUBMISSIONS.c.bot.in_(names)))
    tokens = read_values(connection, select(TOKENS).where(TOKENS.c.owner == owner, TOKENS.c.name.in_(names)), TokenRow)
    handles = [token.handle for token in tokens if not token.scopes & OWNER_SCOPES]
    connection.execute(delete(TOKENS).where(TOKENS.c.handle.in_(handles)))
    connection.execute(delete(BOTS).where(BOTS.c.name.in_(names)))
