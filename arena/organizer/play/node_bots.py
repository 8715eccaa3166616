"""The bots of a node: started when a block needs them, stopped when idle to make room, and restarted after a crash.

The lease of a block begins when the block is assigned, and ends table by table as games end.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from arena.errors import BotEndedError, BotGameError, BotStartError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.connection import LineCutError
from arena.fleet.runner.started_bot import BotExit
from arena.fleet.runner.table_node import TableNode
from arena.match.referee.terms import Terms
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.ledger_entries import departed_entrants

CrashHandler = Callable[[str, BotStartError], Awaitable[bool]]
"""Takes the name of a bot that does not start, and the error. Returns whether to try again."""
StartCheck = Callable[[str], Awaitable[None]]
"""Raises BotStartError for a bot that must not be started as it is."""
LEAGUE_INSTANCE = "league"
"""The instance of every bot. It is always the same, so that a bot's new process takes over the seats of its previous
one. Another session with the bot's token gets no seat, and delays nobody."""


class NodeBots:
    """Runs a limited number of bot processes. A block waits until all its bots can run."""

    def __init__(
        self,
        process: TableNode,
        bots: Mapping[str, BotEntrant],
        terms: Terms,
        most: int,
        on_crash: CrashHandler,
        check: StartCheck,
    ) -> None:
        """`terms` name the game and preset, `most` limits the bot processes, and `check` runs before each start.

        Remote bots are not started. They are awaited before a block begins.
        """
        self.process = process
        self._game_and_preset = terms.game.name, terms.preset
        self.tables = 0
        """Tables reserved at this node."""
        self.seats: Counter[str] = Counter()
        """Seats reserved at these tables, by bot."""
        self._busy: Counter[str] = Counter()
        """By bot, the number of its seats in blocks whose bots are running or being started. A bot with such a seat
        is not stopped."""
        self._bots = bots
        self._most = most
        self._on_crash = on_crash
        self._check = check
        self._running: dict[str, None] = {}
        """Running bots, least recently needed first."""
        self._starting: dict[str, asyncio.Task[None]] = {}
        """The task that starts a bot, for each bot that is being started."""
        self._turn = asyncio.Lock()
        self._left = asyncio.Event()
        """Set when a table is released or a start has finished."""

    @property
    def is_up(self) -> bool:
        return self.process.is_up

    @property
    def bot_count(self) -> int:
        return len(self._running)

    def count_running(self, names: Iterable[str]) -> int:
        return sum(name in self._running for name in names)

    async def find_connected(self) -> Collection[str]:
        """Return all bots that are connected to the node, including remote bots; empty if the node has ended."""
        try:
            return await self.process.calls.connected_bots(LEAGUE_INSTANCE, *self._game_and_preset)
        except LineCutError:
            return ()

    def reserve_table(self, names: Sequence[str]) -> None:
        """Reserve a table at which these bots sit."""
        self.tables += 1
        self.seats.update(names)

    async def acquire(self, names: Sequence[str]) -> None:
        """Start all bots of a block and keep them until they are released. Raises LineCutError if the node ends.

        If a bot cannot be started, the block is played without this bot, which the crash handler has recorded as away.
        A slow start delays only the blocks that need the slow bot.
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

    def release_table(self, names: Sequence[str], has_bots: bool) -> None:
        """Release a table that has ended or is not played here. `has_bots` says whether its bots were acquired."""
        self.tables -= 1
        self.seats.subtract(names)
        if has_bots:
            self._busy.subtract(names)
        self._left.set()

    async def give_up(self, name: str) -> None:
        """Let a bot leave its games at this node, because it does not come back."""
        self._running.pop(name, None)
        with suppress(LineCutError):
            await self.process.calls.give_up_bot(name, LEAGUE_INSTANCE)

    async def next_lost_bot(self) -> BotExit:
        """Wait for the next bot that ends by itself. Remove it from the running bots, and return how it ended."""
        loss = await self.process.lost_bots.get()
        self._running.pop(loss.name, None)
        return loss

    def start_if_needed(self, name: str) -> None:
        """Start a bot that was lost, unless no block needs it or it has been started already."""
        if self._busy[name] > 0 and name not in self._running and name not in self._starting:
            self._begin_start(name)

    async def shut_down(self) -> None:
        """Cancel all starts. Otherwise bots would be blamed for starts that fail because the node is being stopped."""
        starts = [*self._starting.values()]
        for task in starts:
            task.cancel()
        await asyncio.gather(*starts, return_exceptions=True)

    # ---- inside

    async def _start_missing(self, names: Sequence[str]) -> None:
        """Begin to start the bots that are missing. A block with more bots than `most` still gets all of them."""
        here = (*self._running, *self._starting)
        missing = [name for name in names if name not in here and not self._bots[name].is_remote]
        await self._make_room(max(self._most, len(names)) - len(missing))
        for name in missing:
            self._begin_start(name)
        for name in names:
            if name in self._running:
                self._running[name] = self._running.pop(name)  # moves the bot to the end

    def _begin_start(self, name: str) -> None:
        self._starting[name] = task = asyncio.create_task(self._start_with_retries(name))
        # A lost node matters only to blocks that wait for this bot. Reading the error here avoids asyncio's warning.
        task.add_done_callback(lambda _: None if task.cancelled() else task.exception())

    async def _make_room(self, most: int) -> None:
        """Stop idle bots until at most `most` are running or starting. Wait while all are busy."""
        while len(self._running) + len(self._starting) > most:
            idle = next((name for name in self._running if self._busy[name] <= 0), None)
            if idle is None:
                self._left.clear()
                await self._left.wait()
                continue
            del self._running[idle]
            await self.process.calls.stop_bot(idle)

    async def _start_with_retries(self, name: str) -> None:
        """Start a bot. If that fails, try again as long as the crash handler allows it."""
        try:
            while name not in self._running:
                try:
                    await self._check(name)
                    await self.process.start_bot(self._bots[name], LEAGUE_INSTANCE, *self._game_and_preset)
                    self._running[name] = None
                except BotStartError as error:
                    if not await self._on_crash(name, error):
                        return
        finally:
            del self._starting[name]
            self._left.set()


class BotLease:
    """The lease of one block. On exit from the context, the lease releases all tables that it still holds."""

    def __init__(
        self, node: NodeBots, tables: Iterable[Sequence[str]], away: Collection[str], on_release: Callable[[], None]
    ) -> None:
        """The lease does not wait for the bots in `away`. `on_release` is called after each released table."""
        self._node = node
        self._on_release = on_release
        self._held = {tuple(seats): [name for name in seats if name not in away] for seats in tables}
        self._has_bots = False
        for names in self._held.values():
            node.reserve_table(names)

    async def acquire(self) -> None:
        """Wait until all bots of the block are running. Raises LineCutError if the node has ended."""
        await self._node.acquire([name for names in self._held.values() for name in names])
        self._has_bots = True

    def release_table(self, seats: Sequence[str]) -> None:
        """Release a table that has ended, even while others of its block are played.

        So enough tables run at any time to fill each frame: few large frames cost less than many small ones.
        """
        self._node.release_table(self._held.pop(tuple(seats)), self._has_bots)
        self._on_release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for seats in tuple(self._held):
            self.release_table(seats)


MAX_RESTARTS: Final = 3
"""Restarts of a crashed bot within `RESTART_WINDOW` of its games, before it forfeits."""
RESTART_WINDOW: Final = 100
"""Number of games of a bot after which a restart no longer counts."""


async def _expect_no_node() -> None:
    """No node comes in place of a lost one."""


class BotRestarts:
    """Decides whether a bot that ends by itself or does not start is started again, and has its node do so.

    Restarts are counted over the last hundred games of the bot, so that a rare crash does not end a long league for it.
    A bot that crashes once more after its last restart is away: it forfeits its games for the rest of the league. So
    does a bot of another game, at once: a restart would not change what it plays. The ledger has an entry of each.
    """

    def __init__(
        self,
        ledger: Ledger,
        build_nodes: Callable[[CrashHandler], list[NodeBots]],
        next_node: Callable[[], Awaitable[NodeBots | None]] = _expect_no_node,
    ) -> None:
        """`build_nodes` returns the bots of each node, which call the given handler when one does not start.

        `next_node` waits for those of a node that comes in place of a lost one; None if none will come any more.
        """
        self.next_node = next_node
        self.away = departed_entrants(ledger.acts)
        """Entrants that forfeit from now on, with the reason."""
        self._ledger = ledger
        self._restarts = defaultdict[str, list[int]](list)
        """For each bot, the number of its finished games at each of its restarts. Old entries lack it: they count 0."""
        for act in ledger.acts:
            if act.kind == "restarted":
                self._restarts[act.values["name"]].append(act.values.get("games", 0))
        self.nodes = build_nodes(self.record_crash)

    async def restart_lost_bots(self, node: NodeBots) -> None:
        """Whenever a bot of the node ends by itself, restart it or give it up. Runs until cancelled."""
        async with asyncio.TaskGroup() as recoveries:
            while True:
                loss = await node.next_lost_bot()
                recoveries.create_task(self._restart_or_give_up(node, loss))

    async def record_crash(self, name: str, error: BotStartError) -> bool:
        """Record that a bot has crashed or does not start. Return whether to start it again.

        When a bot has no restart left, or plays another game, all nodes give it up.
        """
        if name in self.away:
            return False
        values: dict[str, Any] = {"name": name, "how": str(error), "kind": type(error).__name__}
        games = self._ledger.count_games_of(name)
        time = 1 + sum(games - at < RESTART_WINDOW for at in self._restarts[name])
        if time <= MAX_RESTARTS and not isinstance(error, BotGameError):
            self._restarts[name].append(games)
            values |= {"time": time, "of": MAX_RESTARTS, "games": games, "window": RESTART_WINDOW}
            await self._ledger.add_entry("restarted", values)
            return True
        self.away[name] = str(error)
        await self._ledger.add_entry("away", values)
        await asyncio.gather(*(node.give_up(name) for node in self.nodes if node.is_up))
        return False

    async def _restart_or_give_up(self, node: NodeBots, loss: BotExit) -> None:
        if await self.record_crash(loss.name, BotEndedError(str(loss))):
            node.start_if_needed(loss.name)
        else:  # if the bot is away already, it may have been starting when the nodes gave it up
            await node.give_up(loss.name)
