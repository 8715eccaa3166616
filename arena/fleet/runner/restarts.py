"""Starts a process of a server again whenever it ends, and waits longer each time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

from arena.log_lines import get_logger

log = get_logger(__name__)

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
"""Seconds before a process is started again: at first, and at most. The wait doubles with each end."""
STEADY_S: Final = 60.0
"""A process that lived this long is started again after the first wait."""


async def _do_nothing(_: float) -> None:
    """Do nothing before a wait."""


async def keep_running(
    name: str, run_once: Callable[[], Awaitable[str]], on_wait: Callable[[float], Awaitable[None]] = _do_nothing
) -> NoReturn:
    """Call `run_once` again and again. It runs the process until it ends, and returns why it ended.

    `name` is the name of the process in the log. `on_wait` gets the seconds of each wait, before it begins.
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
