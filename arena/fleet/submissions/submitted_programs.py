"""Finds the programs of submitted bots in a data folder. Implements `KnownBots` of `arena.organizer.file`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Select, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from arena.bots.launch.programs import BotProgram
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import BotStartError
from arena.fleet.runner.boxed_builds import read_built_program
from arena.server.store.bans import banned_owners, refuse_banned
from arena.server.store.data_folder import is_store
from arena.server.store.database import value_from_row
from arena.server.store.engines import open_reader
from arena.server.store.store_place import find_place
from arena.server.store.tables import BANS, LEAGUES, SUBMISSIONS

Found = TypeVar("Found")

_PLAYABLE = (SubmissionState.ACTIVE, SubmissionState.INACTIVE)


def builds_folder(data: Path) -> Path:
    """The archives are elsewhere: `arena.server.intake` keeps them."""
    return data / "submissions" / "builds"


def build_path(data: Path, package: str) -> Path:
    """`package` is the content hash."""
    return builds_folder(data) / package


class SubmittedPrograms:
    """A server may be using the data folder."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def find(self, name: str, version: str) -> BotProgram:
        """Return a version of a bot; its active one if `version` is empty.

        Raises BotStartError if there is no such version, or if it may not play, and BannedError if its owner is banned.
        """
        columns, wanted = SUBMISSIONS.c, f"version {version} of {name}" if version else f"active version of {name}"
        chosen = columns.version == version if version else columns.state == SubmissionState.ACTIVE
        rows = self._read(select(SUBMISSIONS).where(columns.bot == name, chosen).order_by(columns.submission_id.desc()))
        if not rows:
            known = self._read(select(SUBMISSIONS).where(columns.bot == name, columns.state.in_(_PLAYABLE)))
            versions = ", ".join(sorted({each.version for each in known}))
            hint = f"; versions that may play: {versions}" if versions else ""
            raise BotStartError(f"no {wanted} was submitted to {self._data}{hint}")
        if rows[0].state not in _PLAYABLE:
            raise BotStartError(f"version {rows[0].version} of {name} is {rows[0].state}, so it may not play")
        self._query(lambda connection: _refuse_banned(connection, rows[0].owner))
        return self.read(rows[0])

    def find_content(self, name: str, content: str) -> BotProgram | None:
        """Return the version of a bot that was built from a package with this content hash; None if it is gone.

        A league that has sealed a version goes on with it for some time after its owner has withdrawn it
        (`arena.fleet.submissions.kept_builds`), so that no owner can stop a league.
        """
        columns = SUBMISSIONS.c
        built = columns.state.in_((*_PLAYABLE, SubmissionState.WITHDRAWN))
        rows = self._read(select(SUBMISSIONS).where(columns.bot == name, columns.package == content, built))
        is_there = bool(rows) and build_path(self._data, content).is_dir()
        return self.read(rows[0]) if is_there else None

    def list_active(self, pool: str) -> list[Submission]:
        """Return the active versions whose bot.toml names the pool, by name, without those of banned owners.

        Raises BotStartError if there is no store.
        """
        active = select(SUBMISSIONS).where(SUBMISSIONS.c.state == SubmissionState.ACTIVE).order_by(SUBMISSIONS.c.bot)
        banned = self._query(lambda connection: banned_owners(connection) if _knows_bans(connection) else {})
        return [row for row in self._read(active) if pool in row.pools and row.owner not in banned]

    def find_league_text(self, name: str) -> str | None:
        """Return the sealed text of a league; None if there is none."""
        if not is_store(self._data):
            return None
        wanted = select(LEAGUES.c.text).where(LEAGUES.c.name == name)
        text: str | None = self._query(lambda connection: connection.scalar(wanted))
        return text

    def read(self, row: Submission) -> BotProgram:
        """Raises BotStartError if its files are gone."""
        program = read_built_program(build_path(self._data, row.package), row.package)
        return replace(program, name=row.bot, version=row.version, is_submitted=True)

    def _read(self, wanted: "Select[tuple[object, ...]]") -> list[Submission]:
        """Raises BotStartError if there is no store that can be read."""
        return self._query(
            lambda connection: [value_from_row(row, Submission) for row in connection.execute(wanted).all()]
        )

    def _query(self, work: Callable[[Connection], Found]) -> Found:
        if not is_store(self._data):
            raise BotStartError(f"no bot was submitted to {self._data}: there is no store")
        engine = open_reader(find_place(self._data))
        try:
            with engine.connect() as connection:
                return work(connection)
        except SQLAlchemyError as error:
            raise BotStartError(f"the submitted bots of {self._data} cannot be read: {error}") from error
        finally:
            engine.dispose()


def _refuse_banned(connection: Connection, owner: str) -> None:
    """Raises BannedError."""
    if _knows_bans(connection):
        refuse_banned(connection, owner)


def _knows_bans(connection: Connection) -> bool:
    """An older store, which nobody has migrated yet, knows no bans."""
    return bool(inspect(connection).has_table(BANS.name))
