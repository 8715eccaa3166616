"""The bots at one node: started when a block needs them, ended when others need room, restarted when they crash."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from arena.errors import ArenaError, BotStartError
from arena.match.terms import Terms
from arena.runner.channel import LineCutError
from arena.runner.crew import Loss
from arena.runner.nodes import NodeProcess
from arena.runner.player import Player

Crashed = Callable[[str, str], Awaitable[bool]]
"""Is told who has crashed and how; gives whether it is to be started again."""
INSTANCE = "league"
"""Of every bot: a new process takes up the seats of the one before."""


class Bench:
    """At most so many processes at once; a block gets all its bots or waits."""

    def __init__(
        self, node: NodeProcess, players: Mapping[str, Player], terms: Terms, most: int, crashed: Crashed
    ) -> None:
        """`terms` say what is played."""
        self.node = node
        self._played = terms.game.name, terms.preset
        self.tables = 0
        """Held here."""
        self.seats: Counter[str] = Counter()
        """Taken at these, by name."""
        self._busy: Counter[str] = Counter()
        """Seats of blocks that have their bots or are getting them: nobody ends these."""
        self._players = players
        self._most = most
        self._crashed = crashed
        self._there: dict[str, None] = {}
        """Who is here, whoever was needed longest ago first."""
        self._turn = asyncio.Lock()
        self._left = asyncio.Event()
        """Somebody has left a table."""
        self._mending: set[asyncio.Task[None]] = set()
        node.on_lost = self._lost

    @property
    def is_up(self) -> bool:
        """Whether the node is there."""
        return self.node.is_up

    def count_here(self, names: Iterable[str]) -> int:
        """How many of these bots are here already."""
        return sum(name in self._there for name in names)

    def hold(self, names: Sequence[str]) -> None:
        """A table will be played here, at which these bots sit."""
        self.tables += 1
        self.seats.update(names)

    async def bring(self, names: Sequence[str]) -> None:
        """Have all bots of a block here until they leave. Raises LineCutError when the node has gone.

        One that cannot be started is told of as crashed for good, and is not here.
        """
        async with self._turn:
            self._busy.update(names)
            try:
                await self._come(names)
            except BaseException:
                self._busy.subtract(names)
                raise

    def leave(self, names: Sequence[str], was_brought: bool) -> None:
        """A table that was held is over, or will not be played here."""
        self.tables -= 1
        self.seats.subtract(names)
        if was_brought:
            self._busy.subtract(names)
        self._left.set()

    async def give_up(self, name: str) -> None:
        """A bot does not come back: it leaves its games."""
        self._there.pop(name, None)
        with suppress(LineCutError):
            await self.node.give_up(name, INSTANCE)

    # ---- inside

    async def _come(self, wanted: Sequence[str]) -> None:
        """Start those who are missing. A block that is larger than the bench gets all its bots nevertheless."""
        missing = [name for name in wanted if name not in self._there]
        await self._make_room(max(self._most, len(wanted)) - len(missing))
        await asyncio.gather(*(self._start(name) for name in missing))
        for name in wanted:
            if name in self._there:
                self._there[name] = self._there.pop(name)

    async def _make_room(self, most: int) -> None:
        """End bots that nobody needs until no more than so many are here."""
        while len(self._there) > most:
            idle = next((name for name in self._there if self._busy[name] <= 0), None)
            if idle is None:
                self._left.clear()
                await self._left.wait()
                continue
            del self._there[idle]
            await self.node.stop_bot(idle)

    async def _start(self, name: str) -> None:
        """Start a bot; try again as long as it may."""
        while True:
            try:
                await self.node.start_bot(self._players[name], INSTANCE, *self._played)
            except BotStartError as error:
                if not await self._crashed(name, str(error)):
                    return
            else:
                self._there[name] = None
                return

    def _lost(self, loss: Loss) -> None:
        """A bot has ended by itself."""
        task = asyncio.ensure_future(self._mend(loss))
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)

    async def _mend(self, loss: Loss) -> None:
        self._there.pop(loss.name, None)
        if not await self._crashed(loss.name, str(loss)):
            await self.give_up(loss.name)
            return
        async with self._turn:
            if loss.name not in self._there and self._busy[loss.name] > 0:
                with suppress(ArenaError):  # its node has gone: then so has the need for it
                    await self._start(loss.name)
