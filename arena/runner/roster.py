"""The bots that stay at a node while it plays many matches: started when they are wanted, watched, ended."""

import asyncio
from collections.abc import Callable
from typing import Final

from arena.errors import BotEndedError, BotSilentError
from arena.launch.process import Launcher
from arena.match.booking import GuestKey
from arena.runner.crew import POLL_S, Loss, Member, start_member
from arena.runner.host import Host
from arena.runner.player import Player

WATCH_S: Final = 0.1
"""How often one looks whether a bot has ended."""


class Roster:
    """Processes by name; no two of one name."""

    def __init__(self, host: Host, lost: Callable[[Loss], None], echo: Callable[[str], None]) -> None:
        """`lost` is told of each bot that ends by itself, once; `echo` what one that dials in needs."""
        self._echo = echo
        self._host = host
        self._lost = lost
        self._launcher = Launcher(host.outputs)
        host.launchers.append(self._launcher)
        self._members: dict[str, Member] = {}

    async def start(self, player: Player, instance: str, join_s: float) -> None:
        """Start a bot and return when it has connected. One of the same instance takes up the seats of the one before.

        Raises BotStartError.
        """
        member = await start_member(self._host, self._launcher, player, join_s, self._echo, instance)
        while not self._is_there((player.name, instance)):
            reason = member.why_absent()
            if reason is not None:
                fault = BotSilentError(reason) if member.loss() is None else BotEndedError(reason)
                await self._end(member)
                raise fault
            await asyncio.sleep(POLL_S)
        self._members[player.name] = member

    async def stop(self, name: str) -> None:
        """End a bot that is not needed; nothing happens where there is none."""
        member = self._members.pop(name, None)
        if member is not None:
            await self._end(member)

    def pids(self) -> list[int]:
        """The processes that run here."""
        return [member.process.pid for member in self._members.values() if member.process is not None]

    async def watch(self) -> None:
        """Look for bots that have ended. Run it as a task."""
        while True:
            await asyncio.sleep(WATCH_S)
            for name, member in list(self._members.items()):
                if (loss := member.loss()) is not None:
                    del self._members[name]
                    await self._end(member)
                    self._lost(loss)

    async def close(self) -> None:
        """End them all."""
        self._members.clear()
        await asyncio.to_thread(self._launcher.close)

    def _is_there(self, key: GuestKey) -> bool:
        server = self._host.server
        return server is not None and key in server.node.hall.guests.by_key

    async def _end(self, member: Member) -> None:
        if member.process is not None:
            await asyncio.to_thread(member.process.end)
