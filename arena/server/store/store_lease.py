"""The right to write to a database of PostgreSQL as the server of its store; in place of the lock of a folder.

Two things make it. A lock of the database, which goes with the holder's connection, tells at once who is there: a
holder that was killed keeps nobody out. A number in a row grows with each holder, and each write transaction reads it,
so a holder that was cut off and lives writes no more once another one has come.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Column, Connection, Engine, MetaData, Table, Text, select, update
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import StoreLockedError

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


class StoreLease:
    """Held from `take` to `release`, or until another process takes it over."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine, self._place = engine, place
        self._lock: Connection | None = None
        self._number = 0

    def take(self) -> None:
        """Raises StoreLockedError, which names the holder, if another process holds the store."""
        self._lock = self._connect()
        if not self._lock.exec_driver_sql(_LOCK).scalar_one():
            holder = self._lock.scalar(select(_HOLDER.c.holder))
            self.release()
            raise StoreLockedError(f"the store {self._place} is held by {holder}: wait until it ends")
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        holder = f"process {os.getpid()} on {socket.gethostname()}, started {since}"
        taking = update(_HOLDER).values(number=_HOLDER.c.number + 1, holder=holder).returning(_HOLDER.c.number)
        self._number = self._lock.execute(taking).scalar_one()

    def check(self, connection: Connection) -> None:
        """Raise StoreLockedError if another process has taken the store over, which it cannot do before the commit."""
        row = connection.execute(select(_HOLDER).with_for_update(read=True)).one()
        if row.number != self._number:
            raise StoreLockedError(f"the store {self._place} was taken over by {row.holder}: nothing more is written")
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
