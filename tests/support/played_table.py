"""A match on a real server, played step by step by a test that has no event loop of its own."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cheatarena.v1 import match_pb2
from tests.support.server import ServerClients, slow_pace, visit_server
from tests.support.wire_bot import Message, WireBot, is_match_over, play_lowest

T = TypeVar("T")
LONG_GAME = (match_pb2.OptionSetting(name="max_turns", value="120"),)
"""Options with which a test can play a while before the game ends."""
_NO_LIMIT = 1 << 60


class PlayedTable:
    """Clients of one server, in a loop that runs in a thread, and a match of theirs."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._stack = AsyncExitStack()
        self._clients: ServerClients | None = None
        self._players: list[_Player] = []
        self._tokens: dict[str, str] = {}
        self.match: match_pb2.Match = match_pb2.Match()

    def begin(self, address: str, *names: str, **request: Any) -> str:
        """Let bots sit down at a new match, and return its id."""
        return self._call(self._begin(address, names, request))

    def come_back(self, address: str) -> None:
        """Connect the same bots to the server that has taken up the match."""
        self._call(self._come_back(address))

    def play_past(self, prompt: int) -> None:
        """Play until a bot is asked a later question than this. Without its answer, the table waits for a minute."""
        self._call(self._play(prompt))

    def play_to_end(self) -> None:
        """Play the rest of the match."""
        self._call(self._play(_NO_LIMIT))

    def close(self) -> None:
        """Disconnect."""
        self._call(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _leave(self) -> None:
        for player in self._players:
            await player.end()
        await self._stack.aclose()

    async def _begin(self, address: str, names: tuple[str, ...], request: dict[str, Any]) -> str:
        clients = self._clients = await self._stack.enter_async_context(visit_server(self._data, address))
        self._players = [_Player(bot) for bot in await clients.connect_bots(*names)]
        self.match = await clients.create_match(*names, pace=slow_pace(), **{"options": LONG_GAME, **request})
        self._tokens = dict(clients.tokens)
        return self.match.match_id

    async def _come_back(self, address: str) -> None:
        for player in self._players:
            await player.end()
        clients = self._clients = await self._stack.enter_async_context(visit_server(self._data, address))
        clients.tokens |= self._tokens
        self._players = [_Player(bot) for bot in await clients.connect_bots(*self._tokens)]

    async def _play(self, prompt: int) -> None:
        for player in self._players:
            player.play_past(prompt)
        waiting = [player.waits for player in self._players]
        is_done = asyncio.FIRST_COMPLETED if prompt < _NO_LIMIT else asyncio.ALL_COMPLETED
        tasks = [asyncio.create_task(each.wait()) for each in waiting]
        await asyncio.wait(tasks, return_when=is_done)
        for task in tasks:
            task.cancel()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


class _Player:
    """A bot that plays in a task of its own, until it is asked a question that it may not answer yet."""

    def __init__(self, bot: WireBot) -> None:
        self.waits = asyncio.Event()
        """Set while the bot leaves a question unanswered, and when its match is over."""
        self._bot = bot
        self._last = 0
        self._may_go_on = asyncio.Event()
        self._task = asyncio.create_task(self._run())

    def play_past(self, prompt: int) -> None:
        """Answer all questions up to this one."""
        self._last = prompt
        self.waits.clear()
        self._may_go_on.set()

    async def end(self) -> None:
        """Play no more."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # the server is gone

    async def _run(self) -> None:
        while True:
            await self._may_go_on.wait()
            self._may_go_on.clear()
            message = await self._bot.play(play_lowest, stop=self._has_to_stop)
            self.waits.set()
            if is_match_over(message):
                return

    def _has_to_stop(self, message: Message) -> bool:
        asked = [*message.prompts, *message.snapshot.prompts]
        return is_match_over(message) or any(prompt.id > self._last for prompt in asked)


@contextmanager
def open_table(data: Path) -> Iterator[PlayedTable]:
    """Offer a table for the match of a test, and disconnect at the end."""
    table = PlayedTable(data)
    try:
        yield table
    finally:
        table.close()
