"""Copies a store's database to an empty one, of SQLite or PostgreSQL, and compares both before it is done.

Journals, keys and submissions stay in the data folder: which database it uses is not copied.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Select, Table, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import RequestError, StoreError
from arena.server.store.database import describe_cause
from arena.server.store.dialect import is_sqlite
from arena.server.store.engines import Place, describe_place, open_engine, writer_of
from arena.server.store.pool_tables import POOL_FITS, POOL_MATCHES
from arena.server.store.schema import bring_up_to_date, is_current
from arena.server.store.store_lease import hold_lease
from arena.server.store.tables import BANS, METADATA
from arena.typed_command import plain_command

_ROWS_AT_ONCE: Final = 500


def copy_store(source: Place, target: Place) -> Mapping[str, int]:
    """Copy all rows in one transaction, and return their number by table.

    Raises RequestError if the source has no store of the current schema, or the target has a row. Raises StoreError if
    something cannot be read or written, or differs afterwards. After an error the target has no more than before.
    """
    names = describe_place(source), describe_place(target)
    engines = open_engine(source), open_engine(target)
    try:
        with ExitStack() as stack:
            if not isinstance(source, Path):  # before anything is read: the snapshot has to have the last rows
                with engines[0].begin() as reading:
                    _check_source(reading, names[0])
                stack.enter_context(hold_lease(engines[0], names[0]))
            reading = stack.enter_context(engines[0].begin())
            writing = stack.enter_context(writer_of(engines[1]).begin())
            _check_source(reading, names[0])
            _prepare_target(writing, names[1])
            return _copy(reading, writing)
    except SQLAlchemyError as error:
        raise StoreError(f"cannot copy {names[0]} to {names[1]}: {describe_cause(error)}") from error
    finally:
        for engine in engines:
            engine.dispose()


def _copy(reading: Connection, writing: Connection) -> Mapping[str, int]:
    counts = {table.name: _copy_table(table, reading, writing) for table in METADATA.sorted_tables}
    _raise_counters(writing)
    for table in METADATA.sorted_tables:
        _compare(table, reading, writing)
    return counts


def _check_source(reading: Connection, source: str) -> None:
    """Raises RequestError, StoreVersionError."""
    if not is_current(reading, source):
        raise RequestError(f"{source} has no store of this version: let `{plain_command('audit')}` open it first")


def _prepare_target(writing: Connection, target: str) -> None:
    """Give an empty target the tables. Raises RequestError, StoreVersionError."""
    if not is_current(writing, target):
        bring_up_to_date(writing)
    for table in METADATA.sorted_tables:
        if writing.execute(select(table).limit(1)).first() is not None:
            raise RequestError(f"the store {target} is not empty: name another one")


def _in_order(table: Table) -> Select[Any]:
    return select(table).order_by(*table.primary_key.columns)


def _copy_table(table: Table, reading: Connection, writing: Connection) -> int:
    count = 0
    rows = reading.execution_options(yield_per=_ROWS_AT_ONCE).execute(_in_order(table))
    for part in rows.mappings().partitions():
        writing.execute(insert(table), [dict(row) for row in part])
        count += len(part)
    return count


def _compare(table: Table, reading: Connection, writing: Connection) -> None:
    """Raise StoreError for the first row that differs."""
    both = [each.execution_options(yield_per=_ROWS_AT_ONCE).execute(_in_order(table)) for each in (reading, writing)]
    for number, (old, new) in enumerate(zip_longest(*both), 1):
        if old is None or new is None or tuple(map(_as_kept, old)) != tuple(map(_as_kept, new)):
            raise StoreError(f"the copy differs from the store in row {number} of {table.name}: nothing was copied")


def _as_kept(value: Any) -> Any:
    """Return a value as PostgreSQL keeps it, which has no NUL in its texts."""
    return value.replace("\0", "\N{SYMBOL FOR NULL}") if isinstance(value, str) else value


def _raise_counters(writing: Connection) -> None:
    """Let numbers go on after those that were ever used: a fit may have read one whose row was dropped."""
    rows, fits = (writing.scalar(select(func.max(each))) or 0 for each in (POOL_MATCHES.c.number, POOL_FITS.c.upto))
    for table, newest in (
        (POOL_MATCHES, max(rows, fits)),
        (BANS, writing.scalar(select(func.max(BANS.c.number))) or 0),
    ):
        if newest and not is_sqlite(writing):
            sequence = func.setval(func.pg_get_serial_sequence(table.name, "number"), newest)
            writing.execute(select(sequence))
        elif newest and table is POOL_MATCHES:
            writing.execute(text("DELETE FROM sqlite_sequence WHERE name = 'pool_match'"))
            writing.execute(text("INSERT INTO sqlite_sequence VALUES ('pool_match', :newest)"), {"newest": newest})
