"""Opens, migrates, reads and writes arena.db; converts values to rows and back.

Every write is one immediate transaction. It waits at its start until no other process writes, so that it does not fail
midway. A thread of its own calls SQLite, through SQLAlchemy's ordinary engine: the asynchronous engine would call a
thread for each statement, and SQLAlchemy would take half as long again to import. This module knows no tables; the
stores know them.
"""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeAlias, TypeVar

from sqlalchemy import URL, Connection, Engine, Row, Select, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import StoreDamagedError, StoreError
from arena.plain_data import from_plain
from arena.server.store.schema import bring_up_to_date, is_current

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_BUSY_TIMEOUT_MS: Final = 5_000
"""Milliseconds for which a statement waits while another process writes."""

_WRITES_OPTION: Final = "arena_writes"

T = TypeVar("T")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


AsyncMethod: TypeAlias = Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]]
TransactionMethod: TypeAlias = Callable[Concatenate[Any, Connection, Arguments], Result]


def shield_from_cancel(method: AsyncMethod[Arguments, Result]) -> AsyncMethod[Arguments, Result]:
    """Make a store's method run to its end even if its caller is cancelled (see `Database.run_to_completion`)."""

    @wraps(method)
    async def run(part: Any, /, *values: Arguments.args, **named: Arguments.kwargs) -> Result:
        return await _database_of(part).run_to_completion(method(part, *values, **named))

    return run


def reads(method: TransactionMethod[Arguments, Result]) -> AsyncMethod[Arguments, Result]:
    """Make a store's method a coroutine that does its work in `Database.read`, shielded from cancellation."""
    return _in_transaction(method, Database.read)


def writes(method: TransactionMethod[Arguments, Result]) -> AsyncMethod[Arguments, Result]:
    """Make a store's method a coroutine that does its work in `Database.write`, shielded from cancellation."""
    return _in_transaction(method, Database.write)


def _in_transaction(
    method: TransactionMethod[Arguments, Result],
    transact: "Callable[[Database, Callable[[Connection], Result]], Coroutine[Any, Any, Result]]",
) -> AsyncMethod[Arguments, Result]:
    @wraps(method)
    async def run(part: Any, /, *values: Arguments.args, **named: Arguments.kwargs) -> Result:
        database = _database_of(part)
        work = transact(database, lambda connection: method(part, connection, *values, **named))
        return await database.run_to_completion(work)

    return run


def _database_of(part: "StorePart") -> "Database":
    return part._database  # noqa: SLF001  only decorates classes of this package


class Database:
    """One SQLite file, opened for asynchronous use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = create_engine(
            URL.create("sqlite", database=str(path)), json_serializer=_to_json, json_deserializer=_from_json
        )
        event.listen(self._engine, "connect", _configure_connection)
        event.listen(self._engine, "begin", _begin)
        self._writer = self._engine.execution_options(**{_WRITES_OPTION: True})
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._write_lock = asyncio.Lock()
        self._under_way: set[asyncio.Task[Any]] = set()

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run reads that see one snapshot of the store. Raises StoreError."""
        return await self._run_in_thread(self._engine, work)

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Run one atomic transaction, which is on disk when this returns. Raises StoreError."""
        async with self._write_lock:
            return await self._run_in_thread(self._writer, work)

    async def _run_in_thread(self, engine: Engine, work: Callable[[Connection], Result]) -> Result:
        def do() -> Result:
            with engine.begin() as connection:
                return work(connection)

        with _as_store_errors(self.path):
            return await asyncio.get_running_loop().run_in_executor(self._thread, do)

    async def run_to_completion(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run work to its end even if its caller is cancelled, and return the result.

        Otherwise the connection could be closed while a statement still runs in a thread.
        """
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._on_task_done)
        return await asyncio.shield(task)

    def _on_task_done(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # marks the exception as retrieved, so that asyncio does not warn; waiters get it too

    async def close(self) -> None:
        """Wait for running work, then close every connection."""
        if self._under_way:
            await asyncio.wait(self._under_way)
        self._thread.shutdown()
        self._engine.dispose()

    async def is_current(self) -> bool:
        return await self.read(lambda connection: is_current(connection, self.path))

    async def migrate(self) -> None:
        """Create or upgrade the schema, atomically."""
        await self.write(bring_up_to_date)


class StorePart:
    """Base of the stores. Every call is one transaction, and raises StoreError if the database cannot be used.

    A method under `reads` or `writes` runs in a thread of the database. It returns values, since no row can be fetched
    after the transaction.
    """

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        """`now` returns seconds since 1970."""
        self._database = database
        self._now = now


def columns_of(value: "DataclassInstance") -> dict[str, Any]:
    """Return a value's fields by column. The contents of the fields may be large and are not copied."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def value_from_row(row: Row[Any], kind: type[T]) -> T:
    """Return the value of a row; a NULL column gets the default of its field.

    Raises StoreDamagedError for a row that is not a value of this kind.
    """
    known = {str(name): item for name, item in row._asdict().items() if item is not None}
    try:
        return from_plain(known, kind)
    except ValueError as error:
        raise StoreDamagedError(f"the store has a {kind.__name__} that cannot be read: {error}") from error


def read_values(connection: Connection, wanted: Select[Any], kind: type[T]) -> list[T]:
    """Return the value of each row that is found. Raises StoreDamagedError."""
    return [value_from_row(row, kind) for row in connection.execute(wanted)]


def read_value(connection: Connection, wanted: Select[Any], kind: type[T]) -> T | None:
    """Return the value of the only row that is found; None if none is. Raises StoreDamagedError."""
    row = connection.execute(wanted).one_or_none()
    return None if row is None else value_from_row(row, kind)


def _to_json(value: Any) -> str:
    """Return plain values as compact JSON. Raises ValueError for NaN and infinity."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _from_json(text: str) -> Any:
    """Return the value of a JSON column. Text that is no JSON becomes bytes, so that only its row cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return str(text).encode(errors="surrogateescape")


def _configure_connection(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    """Begin a transaction. A writer locks immediately, since SQLite may refuse to turn a reader into a writer."""
    writes = connection.get_execution_options().get(_WRITES_OPTION, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _as_store_errors(path: Path) -> Iterator[None]:
    """Turn SQLAlchemy's errors into StoreError."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise StoreError(f"cannot use the store {path}: {cause}") from error
