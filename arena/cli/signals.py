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
def handle_stop_signals(first: Callable[[], None], second: Callable[[], None] | None = None) -> Iterator[None]:
    """Call `first` at the first SIGINT or SIGTERM and `second` at every later one, in the running loop."""
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


def _cancel_task(task: "asyncio.Task[Any]") -> None:
    task.cancel()


async def run_until_stopped(work: Coroutine[Any, Any, T], show_kept: Callable[[], str]) -> T:
    """Run a coroutine; a signal cancels it, and it may clean up. Raises Interrupted, which says what was kept.

    `show_kept` runs after the cleanup; it shows what was kept and returns the text that describes it.
    """
    task = asyncio.ensure_future(work)
    with handle_stop_signals(lambda: _cancel_task(task)):
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled():
                raise Interrupted(f"stopped; {show_kept()}") from None
            raise
