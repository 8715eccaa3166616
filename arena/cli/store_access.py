"""Runs one operation on the store of a data folder. Also reads durations from options, and formats dates."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from arena.store.open_store import Store

T = TypeVar("T")

ServerDataOption = Annotated[
    Path | None, typer.Option(help="Data folder of the server. Default: ARENA_DATA, or else arena-data.")
]


def with_store(data: Path | None, act: "Callable[[Store], Coroutine[Any, Any, T]]") -> T:
    """Open the store of a data folder, run one operation and return the result. A server may use the store too."""
    from arena.config.read_config import read_config
    from arena.store.open_store import open_store
    from arena.telemetry import set_up_logging

    async def work() -> T:
        async with await open_store(read_config(flags={"data": data}).data) as store:
            return await act(store)

    set_up_logging("warning")
    return asyncio.run(work())


def parse_duration(name: str, value: float, unit: str) -> timedelta:
    """Return a number of `days` or `hours` as a duration.

    If the number is too large, raises an OptionError that names the option `name`.
    """
    from arena.errors import OptionError

    try:
        return timedelta(**{unit: value})
    except (OverflowError, ValueError) as error:
        raise OptionError(name, value, f"expected fewer {unit}: the date is beyond the calendar") from error


def format_date(seconds: float | None) -> str | None:
    """Return a time of the store as text, such as `2026-01-31 12:00:00+00:00`; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")
