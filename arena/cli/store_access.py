"""Finds a data folder and runs one operation on its store. Also reads durations from options, and formats dates."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from arena.cli.console import print_status
from arena.cli.present import table_lines
from arena.errors import OptionError

if TYPE_CHECKING:
    from arena.server.store.open_store import Store

T = TypeVar("T")

ServerDataOption = Annotated[
    Path | None, typer.Option(help="Data folder of the server. Default: ARENA_DATA, or else arena-data.")
]


def data_folder(data: Path | None) -> Path:
    """Return the data folder of `--data`, or else of the settings."""
    from arena.server.config.read_config import read_config  # takes long: the settings are checked by pydantic

    return read_config(flags={"data": data}).data


def with_store(data: Path | None, act: "Callable[[Store], Coroutine[Any, Any, T]]") -> T:
    """Open the store of a data folder, run one operation and return the result. A server may use the store too.

    A new data folder is made if there is none, and a status line says so: the server's may be elsewhere.
    """
    from arena.fleet.telemetry import set_up_logging
    from arena.server.store.data_folder import is_store
    from arena.server.store.open_store import open_store

    folder = data_folder(data)
    was_there = is_store(folder)

    async def work() -> T:
        async with await open_store(folder) as store:
            return await act(store)

    set_up_logging("warning")
    result = asyncio.run(work())
    if not was_there:
        print_status(f"{folder.resolve()} is a new data folder; if the server has another one, name it with --data")
    return result


def with_known_store(data: Path | None, act: "Callable[[Store], Coroutine[Any, Any, T]]") -> T:
    """Run an operation on the store of a data folder that exists. Raises RequestError if it does not."""
    from arena.server.store.data_folder import require_store

    require_store(data_folder(data))
    return with_store(data, act)


def parse_duration(name: str, value: float, unit: str) -> timedelta:
    """Return a number of `days` or `hours` as a duration.

    If the number is too large, raises an OptionError that names the option `name`.
    """
    try:
        return timedelta(**{unit: value})
    except (OverflowError, ValueError) as error:
        raise OptionError(name, value, f"expected fewer {unit}: the date is beyond the calendar") from error


def plain_fields(row: object, *names: str) -> dict[str, Any]:
    """Return fields of a row as plain values for JSON: times (`*_at`) as by `format_date`, and sets as sorted lists."""
    values = {name: getattr(row, name) for name in names}
    return {
        name: format_date(value) if name.endswith("_at") else sorted(value) if isinstance(value, frozenset) else value
        for name, value in values.items()
    }


def token_lines(tokens: Mapping[str, Sequence[object]]) -> Iterator[object]:
    """Yield a table of the holders of tokens, by name, each with its tokens."""
    none = {"handle": "none", "expires_at": None, "last_used_at": None}
    rows = [
        {"bot": holder} | (none if token is None else plain_fields(token, *none))
        for holder, held in tokens.items()
        for token in held or [None]
    ]
    yield from table_lines(
        rows, {"bot": "bot", "token": "handle", "expires": "expires_at", "last used": "last_used_at"}
    )


def format_date(seconds: float | None) -> str | None:
    """Return a time of the store as text, such as `2026-01-31 12:00:00+00:00`; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")
