"""The bots at one node: started when a block needs them, ended when others need room, restarted when they crash."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from arena.errors import BotEndedError, BotStartError
from arena.match.terms import Terms
from arena.runner.bot_entrant import BotEntrant
from arena.runner.connection import LineCutError
from arena.runner.match_bots import BotExit
from arena.runner.node_process import NodeProcess

CrashHandler = Callable[[str, BotStartError], Awaitable[bool]]
"""Is told who has crashed or does not start, and how; gives whether it is to be started again."""
StartCheck = Callable[[str], Awaitable[None]]
"""Raises BotStartError for a bot that may not be started as it is."""
LEAGUE_INSTANCE = "league"
"""Of every bot: a new process takes up the seats of the one before."""


class BotPool:
    """At most so many processes at once; a block gets all its bots or waits."""

    def __init__(
        self,
        node: NodeProcess,
        bots: Mapping[str, BotEntrant],
        terms: Terms,
        most: int,
        crashed: CrashHandler,
        check: StartCheck,
    ) -> None:
        """`terms` say what is played; `check` is asked before each start."""
        self.node = node
        self._played = terms.game.name, terms.preset
        self.tables = 0
        """Held here."""
        self.seats: Counter[str] = Counter()
        """Taken at these, by name."""
        self._busy: Counter[str] = Counter()
        """Seats of blocks that have their bots or are getting them: nobody ends these."""
        self._bots = bots
        self._most = most
        self._crashed = crashed
        self._check = check
        self._there: dict[str, None] = {}
        """Who is here, whoever was needed longest ago first."""
        self._coming: dict[str, asyncio.Task[None]] = {}
        """Who is being started."""
        self._turn = asyncio.Lock()
        self._left = asyncio.Event()
        """Somebody has left a table, or has come."""
        self._mending: set[asyncio.Task[None]] = set()
        self._rests = False
        node.on_lost = self._on_lost

    @property
    def is_up(self) -> bool:
        """Whether the node is there."""
        return self.node.is_up

    @property
    def pending_remotes(self) -> Sequence[str]:
        """Who dials in by itself and has not yet."""
        return [name for name in self._coming if self._bots[name].is_remote]

    def count_running(self, names: Iterable[str]) -> int:
        """How many of these bots are here already."""
        return sum(name in self._there for name in names)

    def reserve_table(self, names: Sequence[str]) -> None:
        """A table will be played here, at which these bots sit."""
        self.tables += 1
        self.seats.update(names)

    async def acquire(self, names: Sequence[str]) -> None:
        """Have all bots of a block here until they leave. Raises LineCutError when the node has gone.

        One that cannot be started is told of as crashed for good, and is not here. Those that start slowly hold up
        nobody but blocks that need them.
        """
        busy: Sequence[str] = ()
        try:
            async with self._turn:  # who waits for its turn keeps nobody here
                self._busy.update(busy := names)
                await self._start_missing(names)
            await asyncio.gather(*(asyncio.shield(self._coming[name]) for name in names if name in self._coming))
        except BaseException:
            self._busy.subtract(busy)
            raise

    def release_table(self, names: Sequence[str], was_brought: bool) -> None:
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
            await self.node.give_up_bot(name, LEAGUE_INSTANCE)

    async def shut_down(self) -> None:
        """Start nobody any more, and blame nobody for how it ends here: the play is over, the node is stopped."""
        self._rests = True
        ending = [*self._coming.values(), *self._mending]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    # ---- inside

    async def _start_missing(self, wanted: Sequence[str]) -> None:
        """Begin to start those who are missing. A block that is larger than the pool gets its bots nevertheless."""
        missing = [name for name in wanted if name not in self._there and name not in self._coming]
        await self._make_room(max(self._most, len(wanted)) - len(missing))
        for name in missing:
            self._begin_start(name)
        for name in wanted:
            if name in self._there:
                self._there[name] = self._there.pop(name)

    def _begin_start(self, name: str) -> None:
        """Begin to start a bot. Whoever waits for it hears of a node that has gone; else nobody has to."""
        self._coming[name] = task = asyncio.create_task(self._start_with_retries(name))
        task.add_done_callback(lambda _: None if task.cancelled() else task.exception())

    async def _make_room(self, most: int) -> None:
        """End bots that nobody needs until no more than so many are here."""
        while len(self._there) + len(self._coming) > most:
            idle = next((name for name in self._there if self._busy[name] <= 0), None)
            if idle is None:
                self._left.clear()
                await self._left.wait()
                continue
            del self._there[idle]
            await self.node.stop_bot(idle)

    async def _start_with_retries(self, name: str) -> None:
        """Start a bot; try again as long as it may."""
        try:
            while not await self._try_start(name):
                pass
        finally:
            del self._coming[name]
            self._left.set()

    async def _try_start(self, name: str) -> bool:
        """Try to start a bot; tells whether nothing more is to be tried."""
        try:
            await self._check(name)
            await self.node.start_bot(self._bots[name], LEAGUE_INSTANCE, *self._played)
        except BotStartError as error:
            return not await self._crashed(name, error)
        self._there[name] = None
        return True

    def _on_lost(self, loss: BotExit) -> None:
        """A bot has ended by itself, or as all do in the end."""
        if self._rests:
            return
        task = asyncio.create_task(self._restart_or_give_up(loss))
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)

    async def _restart_or_give_up(self, loss: BotExit) -> None:
        self._there.pop(loss.name, None)
        if not await self._crashed(loss.name, BotEndedError(str(loss))):
            await self.give_up(loss.name)
            return
        if self._busy[loss.name] > 0 and loss.name not in self._there and loss.name not in self._coming:
            self._begin_start(loss.name)
