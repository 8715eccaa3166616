"""Runs a sample bot in any language as a process that plays at a server of the test."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from cheatarena.v1 import match_pb2
from tests.support.server import LocalServer

END_TIME_S = 60
"""How long a bot may look for a server that is not there."""
RESULT_TIME_S = 600


class StartableBot(Protocol):
    """A bot that a command starts in a folder."""

    @property
    def command(self) -> Sequence[str]:
        """The program and its arguments."""

    @property
    def folder(self) -> Path:
        """The working directory."""


async def start_bot(bot: StartableBot, **environment: str) -> Process:
    """Start the bot with these variables alone."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return await asyncio.create_subprocess_exec(
        *bot.command, cwd=bot.folder, env=inherited | environment, stdout=PIPE, stderr=PIPE
    )


async def read_end(process: Process) -> tuple[int | None, str]:
    """Return the exit code and what the bot has written to stderr."""
    _, errors = await asyncio.wait_for(process.communicate(), END_TIME_S)
    return process.returncode, errors.decode()


async def stop_bot(process: Process) -> tuple[int | None, list[str]]:
    """Tell the bot to stop. Return its exit code and the lines of its log, without those of a busy machine."""
    process.send_signal(signal.SIGTERM)
    code, errors = await read_end(process)
    return code, [line for line in errors.splitlines() if "still trying" not in line]


@asynccontextmanager
async def connected_bot(
    site: LocalServer, bot: StartableBot, address: str = "", name: str = "bot", **environment: str
) -> AsyncIterator[Process]:
    """Start the bot, and wait until its session is open. If it still runs at the end, it is killed."""
    told = {
        "CHEATARENA_ADDRESS": address or site.address,
        "CHEATARENA_TOKEN": await site.create_token(name),
        "CHEATARENA_INSTANCE": "one",
    }
    process = await start_bot(bot, **(told | environment))
    try:
        while (name, "one") not in site.node.sessions:
            assert process.returncode is None, await read_end(process)
            await asyncio.sleep(0.02)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def playing_bot(
    site: LocalServer, bot: StartableBot, address: str = "", name: str = "bot", **environment: str
) -> AsyncIterator[None]:
    """Connect the bot. At the end it is told to stop: it says goodbye, and had nothing to complain of."""
    async with connected_bot(site, bot, address, name, **environment) as process:
        yield
        assert await stop_bot(process) == (0, []), name


async def wait_for_result(site: LocalServer, match: match_pb2.Match) -> match_pb2.Match:
    """Wait for the end of a match, and return the match."""
    request = match_pb2.WaitForResultRequest(match_id=match.match_id)
    ended: match_pb2.Match = (
        await site.matches.WaitForResult(request, metadata=site.organizing, timeout=RESULT_TIME_S)
    ).match
    return ended


def assert_clean(match: match_pb2.Match, game_count: int) -> None:
    """Every game was played to its end, and nobody has a strike."""
    assert (match.termination, len(match.games)) == ("finished", game_count)
    assert [*match.strikes] == [match_pb2.Strikes()] * len(match.strikes)
