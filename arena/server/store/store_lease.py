"""The right to write to a database of PostgreSQL as the server of its store; in place of the lock of a folder.

Two things make it. A lock of the database, which goes with the holder's connection, tells at once who is there: a
holder that was killed keeps nobody out. A number in a row grows with each holder, and each write transaction reads it,
so a holder that was cut off and lives writes no more once another one has come.

The holder's number stands in its data folder too. Every other process that opens the folder reads it with each write,
so what runs beside a holder that was cut off writes no more either. A file of SQLite needs none of this: it is in the
folder, whose lock keeps a second holder out, and so there is only one history, to which all processes add.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import BigInteger, Column, Connection, Engine, MetaData, Table, Text, select, update
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import StoreError, StoreLockedError
from arena.server.store.data_folder import LEASE_FILE, write_private_file

_HOLDER: Final = Table(
    "store_holder",
    MetaData(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("holder", Text, nullable=False),
)
LEASE_TABLE: Final = _HOLDER.name
_LOCK: Final = "SELECT pg_try_advisory_lock(hashtext('cheatarena holder'), hashtext(current_schema()))"


def create_lease(connection: Connection) -> None:
    """Create the table and its only row in the open transaction."""
    _HOLDER.create(connection)
    connection.execute(_HOLDER.insert().values(number=0, holder="nobody"))


@contextmanager
def hold_lease(engine: Engine, place: str) -> Iterator[None]:
    """Keep servers out of a store. Raises StoreLockedError if one is there."""
    lease = StoreLease(engine, place)
    lease.take()
    try:
        yield
    finally:
        lease.release()


class WriteRight(Protocol):
    def check(self, connection: Connection) -> None:
        """Raise StoreLockedError if another server has the store, which cannot take it over before the commit."""

    def release(self) -> None: ...


class StoreLease:
    """Held from `take` to `release`, or until another process takes it over. Implements `WriteRight`."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine, self._place = engine, place
        self._lock: Connection | None = None
        self._number = 0

    def take(self, folder: Path | None = None) -> None:
        """Let what runs beside the server of a data folder write too.

        Raises StoreLockedError, which names the holder, if another process holds the store. Raises StoreError.
        """
        self._lock = self._connect()
        if not self._lock.exec_driver_sql(_LOCK).scalar_one():
            holder = self._lock.scalar(select(_HOLDER.c.holder))
            self.release()
            raise StoreLockedError(f"the store {self._place} is held by {holder}: wait until it ends")
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = f"process {os.getpid()} on {socket.gethostname()}, started {since}"
        taking = update(_HOLDER).values(number=_HOLDER.c.number + 1, holder=holder).returning(_HOLDER.c.number)
        self._number = self._lock.execute(taking).scalar_one()
        if folder is not None:
            _note_number(folder, self._number)

    def check(self, connection: Connection) -> None:
        number, holder = _read_holder(connection)
        if number != self._number:
            raise StoreLockedError(f"the store {self._place} was taken over by {holder}: nothing more is written")
        self._lock_again()

    def _lock_again(self) -> None:
        """Take the lock again after the database was restarted, which let go of it."""
        try:
            if self._lock is not None:
                self._lock.exec_driver_sql("SELECT 1")
                return
        except SQLAlchemyError:
            self.release()
        self._lock = self._connect()
        self._lock.exec_driver_sql(_LOCK)

    def _connect(self) -> Connection:
        return self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def release(self) -> None:
        if self._lock is not None:
            self._lock.invalidate()
            self._lock.close()
            self._lock = None


class FollowedLease:
    """The right of a process that opened a data folder beside its server. Implements `WriteRight`."""

    def __init__(self, folder: Path, place: str) -> None:
        self._folder, self._place = folder, place

    def check(self, connection: Connection) -> None:
        """A folder that never had a server writes; it may be that of a person who organizes from another machine.

        Raises StoreError if the folder's number cannot be read.
        """
        known = _noted_number(self._folder)
        number, holder = _read_holder(connection)
        if known is not None and number > known:  # a smaller one is that of another database, such as a copy
            raise StoreLockedError(
                f"the store {self._place} was taken over by {holder}: nothing more is written from {self._folder},"
                " until a server holds the store with this folder again"
            )

    def release(self) -> None:
        """The server holds the store, and goes on."""


def _read_holder(connection: Connection) -> tuple[int, str]:
    number, holder = connection.execute(select(_HOLDER).with_for_update(read=True)).one()
    return number, holder


def _note_number(folder: Path, number: int) -> None:
    try:
        write_private_file(folder / LEASE_FILE, str(number).encode())
    except OSError as error:
        raise StoreError(f"cannot write {folder / LEASE_FILE}: {error.strerror}") from error


def _noted_number(folder: Path) -> int | None:
    try:
        return int((folder / LEASE_FILE).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot read {folder / LEASE_FILE}: {error}") from error
