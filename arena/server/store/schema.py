"""Gives a database the current schema: all tables at once if it is new, the missing migrations if it is older."""

from pathlib import Path
from typing import Final

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select

from arena.server.store import pool_tables  # noqa: F401  their tables are part of METADATA
from arena.server.store.tables import METADATA

SCHEMA: Final = "0012"
"""The newest migration, as a constant because reading it from Alembic is slow. A test checks that both agree."""

_VERSION: Final = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""The table in which Alembic keeps the newest migration of a database."""


def is_current(connection: Connection, path: Path) -> bool:
    """Return whether a database has the current schema. Raises StoreVersionError if a newer version made it."""
    if not inspect(connection).has_table(_VERSION.name):
        return False  # the file has no schema yet
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    if revision not in (SCHEMA, None):
        from arena.server.store.schema_migration import check_revision_known  # noqa: PLC0415  slow to load, seldom needed

        check_revision_known(str(revision), path)
    return revision == SCHEMA


def bring_up_to_date(connection: Connection) -> None:
    """Create or upgrade the schema in the open transaction."""
    if inspect(connection).get_table_names():
        from arena.server.store.schema_migration import upgrade  # noqa: PLC0415  as above

        upgrade(connection)
        return
    METADATA.create_all(connection, checkfirst=False)
    _VERSION.create(connection)
    connection.execute(_VERSION.insert().values(version_num=SCHEMA))
