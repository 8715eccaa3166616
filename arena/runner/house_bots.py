"""Keeps the house bots of a server running: starts them, and starts them again, ever later, if they end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from arena.errors import ArenaError
from arena.launch.house_programs import HouseProgram
from arena.launch.process import Launcher
from arena.log_lines import get_logger
from arena.runner.bot_entrant import BotEntrant
from arena.runner.started_bot import Access, StartedBot, start_process

log = get_logger(__name__)

HOUSE_INSTANCE: Final = "house"
"""The instance of every house bot, so that a new process takes over the seats of the one before it."""
WATCH_INTERVAL_S: Final = 0.5
FIRST_DELAY_S: Final = 1.0
LONGEST_DELAY_S: Final = 300.0
HEALTHY_S: Final = 60.0
"""A bot that ran for this long is started again after the first delay."""


class HouseBots:
    """The house bots of a server, as an asynchronous context manager that ends them.

    Enter it before the server starts, and leave it after the server has stopped, so that the last matches keep their
    house bots.
    """

    def __init__(self, outputs: Path, launchers: list[Launcher]) -> None:
        """`outputs` is the folder for the output of bots. `launchers` gets the launcher of the bots for sampling."""
        self._launcher = Launcher(outputs)
        launchers.append(self._launcher)
        self._tasks: list[asyncio.Task[None]] = []

    def start(
        self, programs: Sequence[HouseProgram], address: str, make_token: Callable[[str], Awaitable[str]]
    ) -> None:
        """Begin to keep these bots running at a server. `make_token` returns the token of the bot with a name."""
        self._tasks += [asyncio.create_task(self._keep_running(each, address, make_token)) for each in programs]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self._launcher.close)

    async def _keep_running(
        self, house: HouseProgram, address: str, make_token: Callable[[str], Awaitable[str]]
    ) -> None:
        """Start a house bot whenever it does not run. A bot that cannot be started is tried again later."""
        loop, delay_s = asyncio.get_running_loop(), FIRST_DELAY_S
        entrant = _build_entrant(house)
        while True:
            began = loop.time()
            try:
                if house.program.build:
                    await asyncio.to_thread(self._launcher.build, house.program)
                access = Access(address, await make_token(house.name), HOUSE_INSTANCE)
                reason = await _wait_for_end(
                    StartedBot.of(entrant, await start_process(self._launcher, entrant, access))
                )
            except ArenaError as error:
                reason = str(error)
            if loop.time() - began >= HEALTHY_S:
                delay_s = FIRST_DELAY_S
            log.warning("a house bot does not run", bot=house.name, reason=reason, again_in_s=delay_s)
            await asyncio.sleep(delay_s)
            delay_s = min(LONGEST_DELAY_S, 2 * delay_s)


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
