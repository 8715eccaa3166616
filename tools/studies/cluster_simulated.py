"""What a game costs the runner of a league, from 1 to 1,000 nodes: real schedule, dispatcher, ledger and ratings.

The nodes are simulated: a game is a moment of a clock that does not wait, and now and then a node is lost and replaced.
Games end one at a time, so the dispatcher looks for room after each, as it does at worst. What is counted is the
processor time and memory of this process. Not in it is what one game costs at any number of nodes: messages, journal,
store and analytics, which `make cluster-cost` measures. Run by `make cluster-simulated`.
"""

import asyncio
import gc
import heapq
import logging
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any, Final

import psutil

from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.ports import BlockRow, LedgerEntry
from arena.competition.league.rating import compute_ratings
from arena.fleet.runner.connection import LineCutError
from arena.ids import new_id
from arena.match.referee.ports import MatchId
from arena.organizer.file.league_format import build_format
from arena.organizer.play.attendance import Attendance, LeagueClock
from arena.organizer.play.block_dispatcher import BlockDispatcher, PlayPolicy
from arena.organizer.play.concurrency_limiter import ConcurrencyLimiter
from arena.organizer.play.node_bots import BotRestarts, NodeBots
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.schedule import Schedule
from tests.support.leagues import field

NODES: Final = (1, 10, 100, 1000)
GAMES: Final = 10_000_000
"""Games that the league plans. A run plays some of them."""
ENTRANTS, SEATS, TABLES = 60, 4, 8
"""Of the league, and the tables that a node has at a time."""
LOSSES: Final = 1e-3
"""How many nodes are lost for each block."""
PASSES: Final = 6
"""Passes of the loop in which everybody has acted on the end of a game."""


class NoStore:
    """Implements what a ledger needs of a league's store."""

    async def add_ledger_entry(self, league: str, kind: str, at: float, values: Mapping[str, Any]) -> LedgerEntry:
        return LedgerEntry(1, at, kind, values)

    async def open_block(self, league: str, row: BlockRow) -> None: ...

    async def end_block(self, league: str, row: BlockRow) -> None: ...


class SimulatedNode:
    """Implements what is asked of a `TableNode`. Its bots are there at once."""

    def __init__(self, name: str) -> None:
        self.journal = f"{name}.journal"
        self.is_up = True
        self.playing: set[asyncio.Future[None]] = set()
        self.lost_bots: asyncio.Queue[Any] = asyncio.Queue()
        self.calls = self

    async def start_bot(self, *_: object) -> None: ...

    async def stop_bot(self, name: str) -> None: ...


class World:
    """Lets games end in order, and loses nodes."""

    def __init__(self, node_count: int, losses: float) -> None:
        self.lost = 0
        self._losses = losses
        self.joined: asyncio.Queue[SimulatedNode] = asyncio.Queue()
        self.nodes = [SimulatedNode(f"n{number}") for number in range(node_count)]
        self._random = Random(1)
        self._ends: list[tuple[float, int, asyncio.Future[None], SimulatedNode]] = []
        self._now, self._count = 0.0, 0

    async def play(self, node: SimulatedNode) -> None:
        """Raises LineCutError if the node is lost."""
        self._count += 1
        end = asyncio.get_running_loop().create_future()
        heapq.heappush(self._ends, (self._now + self._random.expovariate(1.0), self._count, end, node))
        node.playing.add(end)
        await end

    def advance(self) -> None:
        """Let the next block end, or its node be lost."""
        if not self._ends:
            return
        self._now, _, end, node = heapq.heappop(self._ends)
        node.playing.discard(end)
        if end.done():
            return
        if self._random.random() >= self._losses:
            end.set_result(None)
            return
        self.lost += 1
        node.is_up = False
        for each in (end, *node.playing):
            each.set_exception(LineCutError("lost"))
        self.joined.put_nowait(SimulatedNode(f"r{self.lost}"))


class SimulatedBlocks:
    """Plays blocks as a `BlockRunner` does, as far as the ledger and the limiter know."""

    def __init__(self, world: World, ledger: Ledger, limiter: ConcurrencyLimiter) -> None:
        self._world, self._ledger, self._limiter = world, ledger, limiter
        self._random = Random(2)
        self.games = 0

    async def play(
        self,
        row: BlockRow,
        node: SimulatedNode,
        away: Collection[str],
        release_table: Callable[[Sequence[str]], None],
        *,
        needs_everybody: bool,
    ) -> None:
        await self._ledger.open_attempt(replace(row, journals=(*row.journals, node.journal)))
        number = self._limiter.begin_games()
        await self._world.play(node)
        for table in row.tables:
            for name in table:
                self._limiter.record_game(name, 0.1, number)
            release_table(table)
        self.games += len(row.tables)
        await self._ledger.end_attempt(row, [self._result(*each) for each in zip(row.tables, row.matches, strict=True)])

    def _result(self, names: tuple[str, ...], match_id: MatchId) -> TableResult:
        places = list(range(1, len(names) + 1))
        self._random.shuffle(places)
        return TableResult(match_id, names, tuple(places), "won", frozenset(), tuple({} for _ in names))


@dataclass(frozen=True, slots=True)
class Cost:
    nodes: int
    games: int
    us: float
    """Processor time a game, in microseconds."""
    bytes: float
    """Memory a game that is over."""
    lost: int
    """Nodes that were lost meanwhile."""
    results: Sequence[BlockResult]


async def measure(node_count: int, games: int, losses: float = LOSSES) -> Cost:
    """Play as many games as fill the nodes, and then at least this many under measurement."""
    world = World(node_count, losses)
    ledger = Ledger("league", NoStore(), (), (), LeagueClock().wall_s)  # type: ignore[arg-type]  # all that it asks
    entrants, limiter = field(ENTRANTS, SEATS), ConcurrencyLimiter(ENTRANTS, SEATS)
    blocks: Any = SimulatedBlocks(world, ledger, limiter)
    bots: Any = {entry.name: SimpleNamespace(is_remote=False) for entry in entrants.entries}
    terms: Any = SimpleNamespace(game=SimpleNamespace(name="cheat"), preset="standard")

    async def check(name: str) -> None: ...

    def build(process: Any) -> NodeBots:
        return NodeBots(process, bots, terms, ENTRANTS, restarts.record_crash, check)

    async def next_node() -> NodeBots:
        return build(await world.joined.get())

    restarts = BotRestarts(ledger, lambda on_crash: [], next_node)
    restarts.nodes.extend(map(build, world.nodes))
    schedule = Schedule(build_format("season", {"games": GAMES}), entrants, ledger)
    attendance = Attendance((), (), restarts.away, ledger, LeagueClock())
    policy = PlayPolicy(max_tables=TABLES)
    dispatcher = BlockDispatcher(
        schedule, ledger, blocks, limiter, lambda: MatchId(new_id()), restarts, policy, attendance
    )
    async with dispatcher.play_in_background() as playing:

        async def advance(games: int) -> None:
            until = blocks.games + games
            while blocks.games < until and not playing.done():
                world.advance()
                for _ in range(PASSES):
                    await asyncio.sleep(0)

        for _ in range(100):
            await asyncio.sleep(0)
        await advance(2 * TABLES * node_count)
        gc.collect()
        if playing.done():
            playing.result()
        process, before, spent = psutil.Process(), blocks.games, process_time()
        memory = process.memory_info().rss
        await advance(games)
        played = blocks.games - before
        us = 1e6 * (process_time() - spent) / played
        return Cost(node_count, played, us, (process.memory_info().rss - memory) / played, world.lost, ledger.history)


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    logging.disable()  # each lost node is a line
    for nodes in NODES:
        cost = asyncio.run(measure(nodes, games))
        of = f"{nodes} nodes, {cost.games} games, {cost.lost} nodes lost"
        print(f"{of}: {cost.us:.0f} us and {cost.bytes:.0f} B a game", flush=True)
    began = process_time()
    compute_ratings(cost.results, seed=b"", draw_count=20)
    count = sum(len(result.tables) for result in cost.results)
    print(f"ratings with 20 draws: {1e6 * (process_time() - began) / count:.0f} us a game")


if __name__ == "__main__":
    main()
