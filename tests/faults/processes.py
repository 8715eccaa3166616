"""A server in a process of its own, with clients that reach it directly or through a proxy."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psutil

from cheatarena.v1 import match_pb2
from tests.support.commands import CommandProcess, start_command
from tests.support.server import ServerClients, visit_server


@asynccontextmanager
async def running_server(
    data: Path, *options: object, **environment: str
) -> AsyncIterator[tuple[CommandProcess, ServerClients]]:
    """Run a server process, and connect clients to it."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(
            start_command("serve", "--data", data, "--grace", 0, *options, environment=environment)
        )
        address = server.wait_for_line("READY").split()[1]
        yield server, await stack.enter_async_context(visit_server(data, address))


async def strikes_of(clients: ServerClients, match: match_pb2.Match) -> list[int]:
    """Return how many strikes each entrant of a match has, running or ended."""
    request = match_pb2.GetMatchRequest(match_id=match.match_id)
    found = (await clients.matches.GetMatch(request, metadata=clients.organizing)).match
    return [sum(value for _, value in each.ListFields()) for each in found.strikes]


def logged_errors(lines: list[str]) -> list[str]:
    """Return the lines of a log that tell of an error or begin a traceback."""
    return [line for line in lines if '"level": "error"' in line or "Traceback" in line]


def resident_bytes(server: CommandProcess) -> int:
    """Return the resident memory of a process."""
    memory: int = psutil.Process(server.pid).memory_info().rss
    return memory
