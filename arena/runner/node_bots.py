"""The bots that stay at a node while it plays many matches: started when they are wanted, watched, ended."""

import asyncio
from collections.abc import Callable
from typing import Final

from arena.errors import BotEndedError, BotSilentError
from arena.launch.process import Launcher
from arena.node.hosted_match import SessionKey
from arena.runner.bot_entrant import BotEntrant
from arena.runner.host import Host
from arena.runner.match_bots import POLL_INTERVAL_S, BotExit, StartedBot, start_bot

WATCH_INTERVAL_S: Final = 0.1
"""How often one looks whether a bot has ended."""


class NodeBots:
    """Processes by name; no two of one name."""

    def __init__(self, host: Host, lost: Callable[[BotExit], None], echo: Callable[[str], None]) -> None:
        """`lost` is told of each bot that ends by itself, once; `echo` what one that dials in needs."""
        self._echo = echo
        self._host = host
        self._lost = lost
        self._launcher = Launcher(host.bot_output_folder)
        host.launchers.append(self._launcher)
        self._members: dict[str, StartedBot] = {}

    async def start(self, player: BotEntrant, instance: str, join_s: float) -> None:
        """Start a bot and return when it has connected. One of the same instance takes up the seats of the one before.

        Raises BotStartError.
        """
        member = await start_bot(self._host, self._launcher, player, join_s, self._echo, instance)
        while not self._is_connected((player.name, instance)):
            reason = member.why_absent()
            if reason is not None:
                fault = BotSilentError(reason) if member.find_exit() is None else BotEndedError(reason)
                await self._end_process(member)
                raise fault
            await asyncio.sleep(POLL_INTERVAL_S)
        self._members[player.name] = member

    async def stop(self, name: str) -> None:
        """End a bot that is not needed; nothing happens where there is none."""
        member = self._members.pop(name, None)
        if member is not None:
            await self._end_process(member)

    def pids(self) -> list[int]:
        """The processes that run here."""
        return [member.process.pid for member in self._members.values() if member.process is not None]

    async def watch(self) -> None:
        """Look for bots that have ended. Run it as a task."""
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            for name, member in list(self._members.items()):
                if (loss := member.find_exit()) is not None:
                    del self._members[name]
                    await self._end_process(member)
                    self._lost(loss)

    async def close(self) -> None:
        """End them all."""
        self._members.clear()
        await asyncio.to_thread(self._launcher.close)

    def _is_connected(self, key: SessionKey) -> bool:
        server = self._host.server
        return server is not None and key in server.node.hall.sessions.by_key

    async def _end_process(self, member: StartedBot) -> None:
        if member.process is not None:
            await asyncio.to_thread(member.process.end)
