"""The resident bots of a node, which stay while it plays many matches: starts, watches and ends them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.errors import BotEndedError, BotSilentError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.match_bots import POLL_INTERVAL_S, start_bot
from arena.fleet.runner.process_sampler import name_of_session
from arena.fleet.runner.started_bot import BotExit, StartedBot
from arena.match.referee.scalars import SessionKey

WATCH_INTERVAL_S: Final = 0.1
"""Seconds between checks whether a bot has ended."""


@dataclass(frozen=True, slots=True)
class _SessionProcess:
    """A bot's process by the name of its session. Implements `SampledProcess`."""

    name: str
    process: BotProcess

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def throttled_us(self) -> int:
        return self.process.throttled_us


class ResidentBots:
    """No two of them have the same name. Implements `ProcessSource`: another program may have the name of one."""

    def __init__(self, host: Host, on_exit: Callable[[BotExit], None]) -> None:
        """`on_exit` is called once for each bot that ends by itself."""
        self._host = host
        self._on_exit = on_exit
        self._launcher = Launcher(host.bot_output_folder, open_boxes=host.open_boxes, more_niceness=host.more_niceness)
        host.launchers.append(self._launcher)
        self._members: dict[str, StartedBot] = {}

    async def start(self, player: BotEntrant, instance: str) -> None:
        """Wait until the bot has connected. It takes over the seats of an earlier bot of the same instance.

        Do nothing if it runs. Raises BotStartError.
        """
        if player.name in self._members:
            return
        member = await start_bot(self._host, self._launcher, player, instance)
        while not self._is_connected((player.name, instance)):
            reason = member.why_absent()
            if reason is not None:
                error = BotSilentError(reason) if member.find_exit() is None else BotEndedError(reason)
                await self._end_process(member)
                raise error
            await asyncio.sleep(POLL_INTERVAL_S)
        self._members[player.name] = member

    async def stop(self, name: str) -> None:
        """Do nothing if no bot has this name."""
        member = self._members.pop(name, None)
        if member is not None:
            await self._end_process(member)

    @property
    def running(self) -> Sequence[_SessionProcess]:
        return [
            _SessionProcess(name_of_session((name, member.access.instance)), member.process)
            for name, member in self._members.items()
            if member.process is not None and member.access is not None
        ]

    def pids(self) -> list[int]:
        return [member.process.pid for member in self._members.values() if member.process is not None]

    async def watch(self) -> None:
        """Check forever for bots that have ended. Run it as a task."""
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            for name, member in list(self._members.items()):
                if (bot_exit := member.find_exit()) is not None:
                    del self._members[name]
                    await self._end_process(member)
                    self._on_exit(bot_exit)

    async def close(self) -> None:
        self._members.clear()
        await asyncio.to_thread(self._launcher.close)

    def _is_connected(self, key: SessionKey) -> bool:
        server = self._host.server
        return server is not None and key in server.node.registry.sessions.by_key

    async def _end_process(self, member: StartedBot) -> None:
        if member.process is not None:
            await asyncio.to_thread(member.process.end)
