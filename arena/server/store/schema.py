"""Gives a database the current schema: all tables at once if it is new, the missing migrations if it is older."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select

from arena.errors import StoreVersionError
from arena.server.store import pool_tables  # noqa: F401  their tables are part of METADATA
from arena.server.store.dialect import fit_to_postgres, is_sqlite
from arena.server.store.store_lease import LEASE_TABLE, create_lease
from arena.server.store.tables import METADATA

if TYPE_CHECKING:
    from alembic.config import Config

SCHEMA: Final = "0013"
"""The newest migration, as a constant because reading it from Alembic is slow. A test checks that both agree."""
_OLDEST_POSTGRES: Final = 15
MIGRATIONS: Final = Path(__file__).with_name("migrations")
_UNRELEASED: Final = frozenset(f"{number:04}" for number in range(1, 12) if number != 4)
"""Schemas that no release wrote: 0.1.0 has 0004."""
_UPDATING_COMMIT: Final = "92369197"
"""A version of the arena that migrates them to 0012."""

_VERSION: Final = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The table in which Alembic keeps the newest migration of a database."""


@cache
def fit_tables_to_postgres() -> None:
    """Prepare the tables before the first database of PostgreSQL is used. SQLite sees no difference."""
    fit_to_postgres(METADATA)


def is_current(connection: Connection, place: str) -> bool:
    """Return whether a database has the current schema. Raises StoreVersionError if a newer version made it.

    Raises StoreVersionError, too, for a database of PostgreSQL that cannot be a store.
    """
    if not is_sqlite(connection):
        _check_postgres(connection, place)
    if not inspect(connection).has_table(_VERSION.name):
        return False  # the file has no schema yet
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    if revision not in (SCHEMA, None):
        _check_revision_known(str(revision), place)
    return revision == SCHEMA


def bring_up_to_date(connection: Connection) -> None:
    """Create or upgrade the schema in the open transaction."""
    if inspect(connection).get_table_names():
        upgrade(connection)
        return
    if not is_sqlite(connection):
        create_lease(connection)
    METADATA.create_all(connection, checkfirst=False)
    _VERSION.create(connection)
    connection.execute(_VERSION.insert().values(version_num=SCHEMA))


def _check_postgres(connection: Connection, place: str) -> None:
    """Raise StoreVersionError for an old server, another encoding than UTF-8, and tables of something else."""
    version, number, encoding = (
        connection.exec_driver_sql(f"SHOW {name}").scalar_one()
        for name in ("server_version", "server_version_num", "server_encoding")
    )
    if int(number) < _OLDEST_POSTGRES * 10_000:
        raise StoreVersionError(f"{place} is PostgreSQL {version}: a store needs {_OLDEST_POSTGRES} or newer")
    if encoding != "UTF8":
        raise StoreVersionError(f"the database {place} has the encoding {encoding}: a store needs one made with UTF8")
    tables = set(inspect(connection).get_table_names())
    if tables and not tables >= {_VERSION.name, LEASE_TABLE, "match", "deal"}:
        raise StoreVersionError(f"the database {place} has tables of something else: give the store one of its own")


def upgrade(connection: Connection) -> None:
    """Run the missing migrations in the open transaction."""
    from alembic import command  # noqa: PLC0415  slow to load, seldom needed

    command.upgrade(_build_config(connection), "head")


def write_nothing_new(connection: Connection) -> None:
    """Write the number of the schema unchanged, so that the database has to write."""
    connection.execute(_VERSION.update().values(version_num=_VERSION.c.version_num))


def _check_revision_known(revision: str, place: str) -> None:
    """Raise StoreVersionError for a revision that this version cannot migrate."""
    from alembic import script, util  # noqa: PLC0415  as above

    if revision in _UNRELEASED:
        raise StoreVersionError(
            f"the store {place} has schema {revision}, which no release wrote: open it once with"
            f" commit {_UPDATING_COMMIT}, which updates it, or use another data folder"
        )
    known = script.ScriptDirectory.from_config(_build_config())
    try:
        known.get_revision(revision)
    except (util.CommandError, script.revision.ResolutionError) as error:
        raise StoreVersionError(
            f"the store {place} was made by a newer version of the arena (schema {revision},"
            f" known up to {known.get_current_head()}): use that version, or another data folder"
        ) from error


def _build_config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config  # noqa: PLC0415  as above

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
