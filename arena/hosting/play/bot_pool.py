"""The bot pool of a node: starts bots when a block needs them, stops idle ones for room, restarts crashed ones."""

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
"""Takes the name of a bot that crashed or does not start, and the error; returns whether to start it again."""
StartCheck = Callable[[str], Awaitable[None]]
"""Raises BotStartError for a bot that must not be started as it is."""
LEAGUE_INSTANCE = "league"
"""The instance of every bot, so that a new process takes over the seats of the one before."""


class BotPool:
    """Runs a limited number of bot processes at once; a block gets all its bots or waits."""

    def __init__(
        self,
        node: NodeProcess,
        bots: Mapping[str, BotEntrant],
        terms: Terms,
        most: int,
        on_crash: CrashHandler,
        check: StartCheck,
    ) -> None:
        """`terms` say what is played, `most` limits the processes; `check` runs before each start."""
        self.node = node
        self._game_and_preset = terms.game.name, terms.preset
        self.tables = 0
        """Tables reserved at this node."""
        self.seats: Counter[str] = Counter()
        """Seats reserved at these tables, by bot."""
        self._busy: Counter[str] = Counter()
        """Seats of blocks that have or are getting their bots, by bot; these bots are not stopped."""
        self._bots = bots
        self._most = most
        self._on_crash = on_crash
        self._check = check
        self._running: dict[str, None] = {}
        """Running bots, least recently needed first."""
        self._starting: dict[str, asyncio.Task[None]] = {}
        """The start of each bot that is not running yet."""
        self._turn = asyncio.Lock()
        self._left = asyncio.Event()
        """Set when a table is released or a start has finished."""
        self._recoveries: set[asyncio.Task[None]] = set()
        self._is_shut_down = False
        node.on_lost = self._on_lost

    @property
    def is_up(self) -> bool:
        """Whether the node is running."""
        return self.node.is_up

    @property
    def pending_remotes(self) -> Sequence[str]:
        """Remote bots that have not dialled in yet."""
        return [name for name in self._starting if self._bots[name].is_remote]

    def count_running(self, names: Iterable[str]) -> int:
        """Return how many of these bots are running."""
        return sum(name in self._running for name in names)

    def reserve_table(self, names: Sequence[str]) -> None:
        """Reserve a table at which these bots sit."""
        self.tables += 1
        self.seats.update(names)

    async def acquire(self, names: Sequence[str]) -> None:
        """Start all bots of a block and keep them until they are released. Raises LineCutError if the node ends.

        A bot that cannot be started is reported as crashed for good and does not run. A slow start delays only blocks
        that need that bot.
        """
        busy: Sequence[str] = ()
        try:
            async with self._turn:  # a block that waits for its turn keeps no bot busy
                self._busy.update(busy := names)
                await self._start_missing(names)
            starts = [asyncio.shield(self._starting[name]) for name in names if name in self._starting]
            await asyncio.gather(*starts)
        except BaseException:
            self._busy.subtract(busy)
            raise

    def release_table(self, names: Sequence[str], was_brought: bool) -> None:
        """Release a table that has ended or is not played here; `was_brought`: its bots were acquired."""
        self.tables -= 1
        self.seats.subtract(names)
        if was_brought:
            self._busy.subtract(names)
        self._left.set()

    async def give_up(self, name: str) -> None:
        """Have a bot that does not come back leave its games."""
        self._running.pop(name, None)
        with suppress(LineCutError):
            await self.node.give_up_bot(name, LEAGUE_INSTANCE)

    async def shut_down(self) -> None:
        """Stop starting bots, and blame none for how it ends now that the play has ended and the node is stopped."""
        self._is_shut_down = True
        ending = [*self._starting.values(), *self._recoveries]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    # ---- inside

    async def _start_missing(self, wanted: Sequence[str]) -> None:
        """Begin to start the missing bots. A block that is larger than the pool gets all its bots nevertheless."""
        missing = [name for name in wanted if name not in self._running and name not in self._starting]
        await self._make_room(max(self._most, len(wanted)) - len(missing))
        for name in missing:
            self._begin_start(name)
        for name in wanted:
            if name in self._running:
                self._running[name] = self._running.pop(name)  # moves it to the end, as needed most recently

    def _begin_start(self, name: str) -> None:
        """Begin to start a bot. Its callback reads the error of a lost node, which only waiting blocks need."""
        self._starting[name] = task = asyncio.create_task(self._start_with_retries(name))
        task.add_done_callback(lambda _: None if task.cancelled() else task.exception())

    async def _make_room(self, most: int) -> None:
        """Stop idle bots until at most `most` are running or starting; wait while all are busy."""
        while len(self._running) + len(self._starting) > most:
            idle = next((name for name in self._running if self._busy[name] <= 0), None)
            if idle is None:
                self._left.clear()
                await self._left.wait()
                continue
            del self._running[idle]
            await self.node.stop_bot(idle)

    async def _start_with_retries(self, name: str) -> None:
        """Start a bot; retry as long as the crash handler allows it."""
        try:
            while not await self._try_start(name):
                pass
        finally:
            del self._starting[name]
            self._left.set()

    async def _try_start(self, name: str) -> bool:
        """Try to start a bot; return whether to stop trying."""
        try:
            await self._check(name)
            await self.node.start_bot(self._bots[name], LEAGUE_INSTANCE, *self._game_and_preset)
        except BotStartError as error:
            return not await self._on_crash(name, error)
        self._running[name] = None
        return True

    def _on_lost(self, loss: BotExit) -> None:
        """Recover from the loss of a bot, unless the pool is shut down."""
        if self._is_shut_down:
            return
        task = asyncio.create_task(self._restart_or_give_up(loss))
        self._recoveries.add(task)
        task.add_done_callback(self._recoveries.discard)

    async def _restart_or_give_up(self, loss: BotExit) -> None:
        self._running.pop(loss.name, None)
        if not await self._on_crash(loss.name, BotEndedError(str(loss))):
            await self.give_up(loss.name)
            return
        if self._busy[loss.name] > 0 and loss.name not in self._running and loss.name not in self._starting:
            self._begin_start(loss.name)
