"""What differs between SQLite and PostgreSQL in tables and statements. The engines differ in `engines`.

Everything else is SQL that SQLAlchemy writes for both. Texts are compared by their bytes in both: ids sort by time, and
names do not depend on the language of a machine.
"""

from typing import Final

from sqlalchemy import BigInteger, Connection, Integer, MetaData, String, Text
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.dialects.sqlite.dml import OnConflictClause

__all__ = ["fit_to_postgres", "is_sqlite", "upsert"]

# PostgreSQL's compiler renders these clauses too, once they say that they name no constraint. Its own insert would load
# its dialect in every server.
OnConflictClause.constraint_target = None  # type: ignore[attr-defined]

_POSTGRES: Final = "postgresql"


def is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def fit_to_postgres(metadata: MetaData) -> None:
    """Let texts be compared by their bytes in PostgreSQL, and texts and integers be as long as in SQLite.

    Indexes have the rows that SQLite's have. Their tables do not say so: that would load the dialect in every server.
    """
    for table in metadata.tables.values():
        for index in table.indexes:
            if (condition := index.dialect_kwargs.get("sqlite_where")) is not None:
                index.dialect_kwargs["postgresql_where"] = condition
        for column in table.columns:
            if isinstance(column.type, String):
                column.type = column.type.with_variant(Text(collation="C"), _POSTGRES)
            elif isinstance(column.type, Integer):
                column.type = column.type.with_variant(BigInteger(), _POSTGRES)
