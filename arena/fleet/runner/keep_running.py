"""Runs a Python process beside a server, with a lower priority, and starts it again whenever it ends.

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


def follow_server(stop: asyncio.Event, priority: int = PRIORITY) -> None:
    """Set `stop` when the server that started this process is gone. Also lower the priority of this process by so much.

    Called in the process that `run_beside` starts, in its event loop.
    """
    loop = asyncio.get_running_loop()

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        with suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(stop.set)

    with suppress(AttributeError, OSError):  # Windows has no priorities of this kind, and a sandbox may refuse them
        os.nice(priority)
    threading.Thread(target=wait, daemon=True).start()


async def _run_once(arguments: Sequence[str]) -> str:
    """Return how the process ended. If this is cancelled, end it first."""
    # In a session of its own, the process gets no Ctrl-C from the terminal: it ends when the server ends it.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", *arguments, stdin=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        return f"exit code {await process.wait()}"
    finally:
        if process.returncode is None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()
