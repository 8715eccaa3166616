"""A server in a process of its own, with clients that reach it directly or through a proxy."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.support.bots import bot_process, write_bots
from tests.support.commands import CommandProcess, start_command
from tests.support.server import ServerClients, visit_server

START_TIME_S = 60.0
"""How long a server may take to start on a busy machine."""


@asynccontextmanager
async def running_server(
    data: Path, *options: object, **environment: str
) -> AsyncIterator[tuple[CommandProcess, ServerClients]]:
    """Run a server process, and connect clients to it."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(
            start_command("serve", "--data", data, "--grace", 0, *options, environment=environment)
        )
        address = (await asyncio.to_thread(server.wait_for_line, "READY", START_TIME_S)).split()[1]
        yield server, await stack.enter_async_context(visit_server(data, address))


def sdk_bot(folder: Path, address: str, token: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Run the bot `honest` of the SDK."""
    return bot_process(write_bots(folder) / "honest" / "bot.py", address, token)


def logged_errors(lines: list[str]) -> list[str]:
    """Return the lines of a log that tell of an error or begin a traceback."""
    return [line for line in lines if '"level": "error"' in line or "Traceback" in line]
