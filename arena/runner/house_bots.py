"""Keeps the house bots of a server running: starts them, and starts them again, ever later, if they end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, Self

from arena.errors import ArenaError
from arena.launch.house_programs import HouseProgram
from arena.launch.process import Launcher
from arena.runner.bot_entrant import BotEntrant
from arena.runner.restarts import keep_running
from arena.runner.started_bot import Access, StartedBot, start_process

HOUSE_INSTANCE: Final = "house"
"""The instance of every house bot, so that a new process takes over the seats of the one before it."""
WATCH_INTERVAL_S: Final = 0.5


class HouseBots:
    """The house bots of a server, as an asynchronous context manager that ends them.

    Enter it before the server starts, and leave it after the server has stopped, so that the last matches keep their
    house bots.
    """

    def __init__(self, outputs: Path) -> None:
        """`outputs` is the folder for the output of bots."""
        self.launcher = Launcher(outputs)
        self._tasks: list[asyncio.Task[NoReturn]] = []

    def start(
        self, programs: Sequence[HouseProgram], address: str, make_token: Callable[[str], Awaitable[str]]
    ) -> None:
        """Begin to keep these bots running at a server. `make_token` returns the token of the bot with a name."""
        self._tasks += [
            asyncio.create_task(keep_running(each.name, partial(self._run_once, each, address, make_token)))
            for each in programs
        ]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.launcher.close)

    async def _run_once(self, house: HouseProgram, address: str, make_token: Callable[[str], Awaitable[str]]) -> str:
        """Run a house bot until it ends, and return how it ended, or why it could not be started."""
        entrant = _build_entrant(house)
        try:
            if house.program.build:
                await asyncio.to_thread(self.launcher.build, house.program)
            access = Access(address, await make_token(house.name), HOUSE_INSTANCE)
            return await _wait_for_end(StartedBot.of(entrant, await start_process(self.launcher, entrant, access)))
        except ArenaError as error:
            return str(error)


def _build_entrant(house: HouseProgram) -> BotEntrant:
    """Return the bot with room for many seats. The server knows by its name which pools it plays in."""
    environment = {"CHEATARENA_CAPACITY": "10000", **house.program.environment}
    return BotEntrant(house.name, replace(house.program, environment=environment))


async def _wait_for_end(bot: StartedBot) -> str:
    """Return how the bot has ended, as soon as it has."""
    while (found := bot.find_exit()) is None:  # noqa: ASYNC110  a process has no event
        await asyncio.sleep(WATCH_INTERVAL_S)
    assert bot.process is not None
    await asyncio.to_thread(bot.process.end)
    return str(found)
