"""Runs a Python process beside a server, with a lower priority, and starts it again whenever it ends or once a day.

The process reads its stdin, which closes when the server is gone, even by SIGKILL: then it has to end. So no process
outlives its server.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, NoReturn

from arena.log_lines import get_logger

log = get_logger(__name__)

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
"""Seconds before a process is started again: at first, and at most. The wait doubles with each end."""
STEADY_S: Final = 60.0
"""A process that lived this long is started again after the first wait."""
PRIORITY: Final = 10
"""How much lower the priority of such a process is than that of the server (`nice`)."""
LOOK_S: Final = 600.0
"""Seconds between looks whether the work of `run_daily` is due."""
DAY_S: Final = 86_400.0
STOP_S: Final = 10.0
"""Seconds in which a process has to end after its stdin has closed."""


async def _do_nothing(_: float) -> None: ...


async def keep_running(
    name: str, run_once: Callable[[], Awaitable[str]], on_wait: Callable[[float], Awaitable[None]] = _do_nothing
) -> NoReturn:
    """`run_once` runs the process until it ends, and returns why; `name` is for the log.

    `on_wait` gets the seconds of each wait, before it begins.
    """
    loop, wait_s = asyncio.get_running_loop(), FIRST_WAIT_S
    while True:
        began = loop.time()
        reason = await run_once()
        if loop.time() - began >= STEADY_S:
            wait_s = FIRST_WAIT_S
        log.warning("a process of the server has ended", process=name, reason=reason, starts_again_in_s=wait_s)
        await on_wait(wait_s)
        await asyncio.sleep(wait_s)
        wait_s = min(LONGEST_WAIT_S, 2 * wait_s)


@asynccontextmanager
async def run_beside(name: str, arguments: Sequence[str]) -> AsyncIterator[None]:
    """Run `python ARGUMENTS` while the body runs, and start it again whenever it ends. `name` is for the log.

    The process shares our stdout and stderr.
    """
    running = asyncio.create_task(keep_running(name, partial(_run_once, arguments)))
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@asynccontextmanager
async def run_daily(
    name: str, arguments: Sequence[str], is_due: Callable[[], bool], look_s: float = LOOK_S, pause_s: float = DAY_S
) -> AsyncIterator[None]:
    """While the body runs, run `python ARGUMENTS` to its end whenever `is_due`, at most once a day.

    `is_due` is asked in a thread, at first after `look_s`, so that a server that starts has time for other work.
    """
    running = asyncio.create_task(_run_daily(name, arguments, is_due, look_s, pause_s))
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def _run_daily(
    name: str, arguments: Sequence[str], is_due: Callable[[], bool], look_s: float, pause_s: float
) -> NoReturn:
    while True:
        await asyncio.sleep(look_s)
        if await asyncio.to_thread(is_due):
            if code := await _run_to_end(arguments):
                log.warning(
                    "a process of the server has failed", process=name, exit_code=code, starts_again_in_s=pause_s
                )
            await asyncio.sleep(pause_s)


def follow_server(stop: asyncio.Event, priority: int = PRIORITY) -> None:
    """Set `stop` when the server that started this process is gone. Also lower the priority of this process by so much.

    Called in the process that `run_beside` starts, in its event loop.
    """
    loop = asyncio.get_running_loop()

    def set_stop() -> None:
        with suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(stop.set)

    _follow_server(set_stop, priority)


def end_with_server() -> None:
    """End this process at once when the server that started it is gone: its work may be killed at any instant."""
    _follow_server(partial(os._exit, 0), PRIORITY)


def _follow_server(act: Callable[[], object], priority: int) -> None:
    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        act()

    with suppress(AttributeError, OSError):  # Windows has no priorities of this kind, and a sandbox may refuse them
        os.nice(priority)
    threading.Thread(target=wait, daemon=True).start()


async def _run_once(arguments: Sequence[str]) -> str:
    """Return how the process ended."""
    return f"exit code {await _run_to_end(arguments)}"


async def _run_to_end(arguments: Sequence[str]) -> int:
    """Return the exit code of the process. If this is cancelled, end it first."""
    # In a session of its own, the process gets no Ctrl-C from the terminal: it ends when the server ends it.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", *arguments, stdin=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()
