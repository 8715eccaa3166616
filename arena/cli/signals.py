"""Handles stop signals: the first one requests a clean stop, the second one forces it."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from arena.cli.exit_codes import Interrupted

T = TypeVar("T")

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def handle_stop_signals(first: Callable[[], object], second: Callable[[], object] | None = None) -> Iterator[None]:
    """Call `first` at the first SIGINT or SIGTERM and `second` at every later one, while the body runs."""
    loop = asyncio.get_running_loop()
    calls = iter((first,))

    def on_signal() -> None:
        act = next(calls, second)
        if act is not None:
            act()

    try:
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, on_signal)
    except NotImplementedError:  # Windows: Ctrl-C cancels the main task instead
        yield
        return
    try:
        yield
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


async def run_until_stopped(work: Coroutine[Any, Any, T], show_saved: Callable[[], str]) -> T:
    """Run a coroutine to its end, or cancel it at a stop signal and raise Interrupted after its cleanup.

    `show_saved` then shows what was saved and returns a text for the error.
    """
    task = asyncio.ensure_future(work)
    with handle_stop_signals(task.cancel):
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled():
                raise Interrupted(f"stopped; {show_saved()}") from None
            raise
