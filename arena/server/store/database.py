"""Opens, migrates, reads and writes a store's database; converts values to rows and back.

A thread of its own calls the database, through SQLAlchemy's ordinary engine: the asynchronous engine would call a
thread for each statement, and SQLAlchemy would take half as long again to import. This module knows no tables; the
stores know them.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine, Row, Select
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError, SQLAlchemyError

from arena.errors import StoreAwayError, StoreDamagedError, StoreError
from arena.plain_data import from_plain
from arena.server.store.engines import Place, describe_place, open_engine, writer_of
from arena.server.store.schema import bring_up_to_date, is_current
from arena.server.store.store_lease import FollowedLease, StoreLease, WriteRight

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


T = TypeVar("T")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


_AWAY: Final = (OperationalError, InternalError, InterfaceError)
"""Errors of the database itself, such as a cut connection, a full disk or a lock; not of a statement or its values."""

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
    """One database, opened for asynchronous use."""

    def __init__(self, place: Place) -> None:
        """Raises NotInstalledError."""
        self.place = place
        self._engine = open_engine(place)
        self._writer = writer_of(self._engine)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._write_lock = asyncio.Lock()
        self._under_way: set[asyncio.Task[Any]] = set()
        self._right: WriteRight | None = None

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run reads that see one snapshot of the store. Raises StoreError."""
        return await self._run_in_thread(self._engine, work)

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Run one atomic transaction, which is on disk when this returns. Raises StoreError."""
        async with self._write_lock:
            return await self._run_in_thread(self._writer, self._unless_taken_over(work))

    async def _run_in_thread(self, engine: Engine, work: Callable[[Connection], Result]) -> Result:
        def do() -> Result:
            with engine.begin() as connection:
                return work(connection)

        return await self._call_in_thread(do)

    async def _call_in_thread(self, do: Callable[[], Result]) -> Result:
        with _as_store_errors(self.place):
            return await asyncio.get_running_loop().run_in_executor(self._thread, do)

    def _unless_taken_over(self, work: Callable[[Connection], Result]) -> Callable[[Connection], Result]:
        right = self._right
        if right is None:
            return work

        def check_and_work(connection: Connection) -> Result:
            right.check(connection)
            return work(connection)

        return check_and_work

    async def take_lease(self, folder: Path) -> None:
        """Be the one server of a store in PostgreSQL until this is closed, or until another process takes it over.

        Then each write raises StoreLockedError. Raises StoreLockedError if another process is that server.
        """
        self._right = lease = StoreLease(self._engine, describe_place(self.place))
        await self._call_in_thread(lambda: lease.take(folder))

    def follow_lease(self, folder: Path) -> None:
        """Write beside the server of a data folder, but no more once a server of another folder has the store."""
        self._right = FollowedLease(folder, describe_place(self.place))

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
        if self._right is not None:
            self._right.release()
        self._engine.dispose()

    async def is_current(self) -> bool:
        return await self.read(lambda connection: is_current(connection, describe_place(self.place)))

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
    return {name: getattr(value, name) for name in _field_names(type(value))}


@cache
def _field_names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def value_from_row(row: Row[Any], kind: type[T]) -> T:
    """Return the value of a row; a NULL column gets the default of its field.

    Raises StoreDamagedError for a row that is not a value of this kind.
    """
    known = {str(name): item for name, item in zip(row._fields, row, strict=True) if item is not None}
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


@contextmanager
def _as_store_errors(place: Place) -> Iterator[None]:
    """Turn SQLAlchemy's errors into StoreError and StoreAwayError."""
    try:
        yield
    except SQLAlchemyError as error:
        kind = StoreAwayError if isinstance(error, _AWAY) else StoreError
        raise kind(f"cannot use the store {describe_place(place)}: {describe_cause(error)}") from error


def describe_cause(error: SQLAlchemyError) -> str:
    """Return the database's message, without the statement."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
