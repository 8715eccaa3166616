"""What differs between SQLite and PostgreSQL in tables and statements. The engines differ in `engines`.

Everything else is SQL that SQLAlchemy writes for both. Texts are compared by their bytes in both: ids sort by time, and
names do not depend on the language of a machine.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    any_,
    func,
    literal,
    select,
)
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.dialects.sqlite.dml import OnConflictClause

__all__ = ["add_pairs", "fit_to_postgres", "is_one_of", "is_sqlite", "upsert"]

# PostgreSQL's compiler renders these clauses too, once they say that they name no constraint. Its own insert would load
# its dialect in every server.
OnConflictClause.constraint_target = None  # type: ignore[attr-defined]

_POSTGRES: Final = "postgresql"


def is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def is_one_of(connection: Connection, column: ColumnElement[str], values: Collection[str]) -> ColumnElement[bool]:
    """Return whether a column has one of these texts.

    PostgreSQL gets them as one array, so the statement is compiled once, and not for each number of texts.
    """
    return column.in_(values) if is_sqlite(connection) else column == any_(_texts(values))


def add_pairs(connection: Connection, table: Table, pairs: Sequence[tuple[str, str]]) -> None:
    """Add rows of two texts, unless they are there. PostgreSQL gets all of them in one statement."""
    if is_sqlite(connection):
        names = table.columns.keys()
        connection.execute(
            upsert(table).on_conflict_do_nothing(), [dict(zip(names, pair, strict=True)) for pair in pairs]
        )
        return
    both = select(*(func.unnest(_texts([pair[place] for pair in pairs])) for place in (0, 1)))
    connection.execute(upsert(table).from_select(table.columns.keys(), both).on_conflict_do_nothing())


def _texts(values: Collection[str]) -> ColumnElement[Any]:
    return literal(list(values), ARRAY(Text))


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
