"""Makes the engine of a store: of a file of SQLite, or of a database of PostgreSQL.

Every write is one transaction that waits at its start until no other process writes, in both. So what it reads does not
change before it has written, and it does not fail midway. Reads see one snapshot.
"""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import StatementError

from arena.errors import NotInstalledError
from arena.server.store.schema import fit_tables_to_postgres

Place: TypeAlias = Path | URL
"""Where a store is: a file of SQLite, or a database of PostgreSQL."""

_BUSY_TIMEOUT_MS: Final = 5_000
"""Milliseconds for which a statement waits while another process writes."""
_CONNECT_TIMEOUT_S: Final = 5
_SILENCE_MS: Final = 10_000
"""Milliseconds after which a machine that confirms nothing is given up; about as long after which it is asked."""
_WRITES_OPTION: Final = "arena_writes"
_QUEUE: Final = "SELECT pg_advisory_xact_lock(hashtext('cheatarena'), hashtext(current_schema()))"
"""Waits until no other process writes to a store in this schema."""


def describe_place(place: Place) -> str:
    """Return a place for people, without a password."""
    return str(place) if isinstance(place, Path) else place.set(drivername="postgresql").render_as_string()


def open_engine(place: Place) -> Engine:
    """Return an engine, which connects when it is used. Raises NotInstalledError."""
    return _open_file(place) if isinstance(place, Path) else _open_database(place)


def open_reader(place: Place) -> Engine:
    """Return an engine for a look beside those who write. It makes no file. Raises NotInstalledError."""
    if isinstance(place, URL):
        return _open_database(place)
    return create_engine(URL.create("sqlite", database=f"file:{place}", query={"mode": "ro", "uri": "true"}))


def writer_of(engine: Engine) -> Engine:
    """Return an engine that shares the connections of this one, and whose transactions write."""
    return engine.execution_options(**{_WRITES_OPTION: True})


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get(_WRITES_OPTION, False))


def _open_file(path: Path) -> Engine:
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, json_serializer=_to_json, json_deserializer=_from_json)
    event.listen(engine, "connect", _configure_file)
    event.listen(engine, "begin", _begin_in_file)
    return engine


def _configure_file(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_in_file(connection: Connection) -> None:
    """Begin a transaction. A writer locks immediately, since SQLite may refuse to turn a reader into a writer."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _open_database(url: URL) -> Engine:
    if find_spec("psycopg") is None:
        raise NotInstalledError("a store in PostgreSQL needs psycopg: install cheatarena-server[postgres]")
    fit_tables_to_postgres()
    options = url.query.get("options", "")
    own_options = options if isinstance(options, str) else " ".join(options)
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        json_serializer=_to_json_late,
        json_deserializer=_from_json,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,  # a database that was restarted has closed its connections
        connect_args={
            "connect_timeout": _CONNECT_TIMEOUT_S,
            "tcp_user_timeout": _SILENCE_MS,
            "keepalives_idle": 5,  # a machine that vanished after it got a question
            "keepalives_interval": 2,
            "keepalives_count": 3,
            "application_name": "cheatarena",
            "options": f"{own_options} -c lock_timeout={_BUSY_TIMEOUT_MS} -c timezone=UTC".strip(),
        },
    )
    event.listen(engine, "connect", _configure_database)
    event.listen(engine, "begin", _begin_in_database)
    return engine


def _configure_database(connection: Any, _record: object) -> None:
    """Let NUL be stored as its symbol: PostgreSQL's texts cannot have it, and strangers may send it."""
    from psycopg.types.string import StrDumperUnknown  # noqa: PLC0415  seldom installed

    class Dumper(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\N{SYMBOL FOR NULL}"))

    connection.adapters.register_dumper(str, Dumper)


def _begin_in_database(connection: Connection) -> None:
    """Begin a transaction, unless each statement is one. A writer sees what the writer before it has committed."""
    if connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
        return
    if _writes(connection):
        connection.exec_driver_sql(_QUEUE)
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")


_to_json: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
"""Returns plain values as compact JSON. Raises ValueError for NaN and infinity."""


def _to_json_late(value: Any) -> str:
    """As `_to_json`, for a driver that calls it when a statement runs. Then SQLAlchemy expects only its own errors."""
    try:
        return _to_json(value)
    except ValueError as error:
        raise StatementError(str(error), None, None, error) from error


def _from_json(text: str) -> Any:
    """Return the value of a JSON column. Text that is no JSON becomes bytes, so that only its row cannot be read."""
    for read in (msgspec.json.decode, json.loads):  # four times as fast, but it refuses NaN and half a surrogate
        try:
            return read(text)
        except (ValueError, TypeError, RecursionError):
            continue
    return str(text).encode(errors="surrogateescape")
