"""Keeps the house bots of a server running: starts them, and starts them again, ever later, if they end."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from arena.errors import ArenaError
from arena.launch.house_programs import HouseProgram
from arena.launch.process import Launcher
from arena.log_lines import get_logger
from arena.runner.bot_entrant import BotEntrant
from arena.runner.host import Host
from arena.runner.match_bots import start_bot
from arena.runner.started_bot import StartedBot

log = get_logger(__name__)

HOUSE_INSTANCE: Final = "house"
"""The instance of every house bot, so that a new process takes over the seats of the one before it."""
WATCH_INTERVAL_S: Final = 0.5
FIRST_DELAY_S: Final = 1.0
LONGEST_DELAY_S: Final = 300.0
HEALTHY_S: Final = 60.0
"""A bot that ran for this long is started again after the first delay."""
SEATS: Final = 1_000
"""How many seats a house bot wants in each pool."""


@asynccontextmanager
async def run_house_bots(host: Host, programs: Sequence[HouseProgram]) -> AsyncIterator[None]:
    """Keep the house bots of a server running. On exit, end them all."""
    async with host.open_launcher(host.bot_output_folder) as launcher:
        tasks = [asyncio.create_task(_keep_running(host, launcher, each)) for each in programs]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_running(host: Host, launcher: Launcher, house: HouseProgram) -> None:
    """Start a house bot whenever it does not run. A bot that cannot be started is tried again later."""
    loop, delay_s = asyncio.get_running_loop(), FIRST_DELAY_S
    entrant = _build_entrant(house)
    while True:
        began = loop.time()
        try:
            if house.program.build:
                await asyncio.to_thread(launcher.build, house.program)
            reason = await _wait_for_end(await start_bot(host, launcher, entrant, HOUSE_INSTANCE))
        except ArenaError as error:
            reason = str(error)
        if loop.time() - began >= HEALTHY_S:
            delay_s = FIRST_DELAY_S
        log.warning("a house bot does not run", bot=house.name, reason=reason, again_in_s=delay_s)
        await asyncio.sleep(delay_s)
        delay_s = min(LONGEST_DELAY_S, 2 * delay_s)


def _build_entrant(house: HouseProgram) -> BotEntrant:
    """Return the bot with the variables that let it enter its pools. It accepts every challenge."""
    environment = {
        "CHEATARENA_CAPACITY": "10000",
        **house.program.environment,
        "CHEATARENA_POOLS": ",".join(f"{pool}:{SEATS}" for pool in house.pools),
        "CHEATARENA_CHALLENGES": "everybody",
    }
    return BotEntrant(house.name, replace(house.program, environment=environment))


async def _wait_for_end(bot: StartedBot) -> str:
    """Return how the bot has ended, as soon as it has."""
    while (found := bot.find_exit()) is None:  # noqa: ASYNC110  a process has no event
        await asyncio.sleep(WATCH_INTERVAL_S)
    assert bot.process is not None
    await asyncio.to_thread(bot.process.end)
    return str(found)
