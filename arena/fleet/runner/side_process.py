"""Runs a Python process beside a server, with a lower priority, and starts it again whenever it ends.

The process reads its stdin, which closes when the server is gone, even by SIGKILL: then it has to end. So no process
outlives its server.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from arena.fleet.runner.restarts import keep_running

PRIORITY: Final = 10
"""How much lower the priority of such a process is than that of the server (`nice`)."""
STOP_S: Final = 10.0
"""Seconds in which a process has to end after its stdin has closed."""


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
    """Run the process until it ends, and return how it ended. If this is cancelled, end it first."""
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
