"""The bots of a phase: each has its own line to the server, and the practising bot can be started again."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NoReturn

from arena.author.trouble.server import PhaseServer
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.match_bots import POLL_INTERVAL_S, MatchBots
from arena.fleet.runner.started_bot import Access, StartedBot, leave_seats, start_process
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.ports import MatchId
from cheatarena.tls_settings import TlsSettings


class SeatedBot:
    """A bot of a phase and its process."""

    def __init__(self, player: BotEntrant, access: Access, launcher: Launcher) -> None:
        self.player = player
        self._access = access
        self._launcher = launcher
        self._process: BotProcess | None = None
        self._is_restarting = False
        self._has_left = False

    @property
    def process(self) -> BotProcess:
        """The newest process of the bot."""
        assert self._process is not None, "the bot has not been started"
        return self._process

    async def start(self) -> StartedBot:
        """Start a process. Raises BotStartError."""
        self._process = await start_process(self._launcher, self.player, self._access)
        return StartedBot.of(self.player, self._process, self._access)

    async def restart(self, on_kill: Callable[[], None]) -> None:
        """Kill the process, call `on_kill`, and start another process, unless the bot has ended by itself.

        Raises BotStartError.
        """
        if self.process.exit_code is not None:
            return
        self._is_restarting = True
        await asyncio.to_thread(self.process.kill)
        on_kill()
        await self.start()
        self._is_restarting = False

    async def leave_if_ended(self) -> None:
        """Leave the seats of a bot that has ended by itself: nobody starts it again."""
        if not (self._is_restarting or self._has_left) and self.process.exit_code is not None:
            self._has_left = True
            await leave_seats(self._access, TlsSettings())

    def describe_end(self) -> str:
        """Return how the bot ended by itself, as words that follow its name; empty if it still runs."""
        return "" if self.process.exit_code is None else self.process.describe_end(is_early=False)


async def seat_bots(
    server: PhaseServer, launcher: Launcher, players: Sequence[BotEntrant], addresses: Sequence[str]
) -> list[SeatedBot]:
    """Return the bots of a phase, which are not started yet. `addresses` are the near ends of their lines."""
    return [
        SeatedBot(player, Access(address, await server.make_token(player.name)), launcher)
        for player, address in zip(players, addresses, strict=True)
    ]


async def unseat_ended(bots: Sequence[SeatedBot]) -> NoReturn:
    """Let each bot that ends by itself leave its seats. Runs until cancelled."""
    while True:
        for bot in bots:
            await bot.leave_if_ended()
        await asyncio.sleep(POLL_INTERVAL_S)


async def start_match(server: PhaseServer, bots: Sequence[SeatedBot], order: MatchOrder) -> MatchId:
    """Start the bots and their match. Raises BotStartError if a bot does not connect in time."""
    started = [await bot.start() for bot in bots]
    return await MatchBots(server.host, started).start_match(order)
