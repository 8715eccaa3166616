"""The dispatcher of a league: it gives each block to the node that suits the block best, until no block is left.

    Schedule ──▶ waiting blocks ──▶ a node with room ──▶ BlockRunner.play ──▶ Ledger
                      ▲
                 Attendance: which bots are connected, what time it is

A lost node costs only time: another node resumes its blocks. A slow bot delays only its opponents, because it sits
at no more than its share of the tables. In a small field, all entrants are its opponents.
"""

import asyncio
from collections import ChainMap
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

from arena.competition.league.model import Block
from arena.competition.league.ports import BlockRow
from arena.errors import EnvironmentFaultError, NotConnectedError
from arena.fleet.runner.connection import LineCutError
from arena.log_lines import get_logger
from arena.match.referee.ports import MatchId
from arena.organizer.play.attendance import Attendance
from arena.organizer.play.block_runner import BlockRunner
from arena.organizer.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES, ConcurrencyLimiter
from arena.organizer.play.node_bots import BotLease, BotRestarts, NodeBots
from arena.organizer.play.void_check import MAX_SPARED_BLOCKS
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.schedule import Schedule

log = get_logger(__name__)

LOOKAHEAD_BLOCKS: Final = 64
"""How many blocks may wait for room at a node. A later block goes first if the bots of earlier blocks are busy.

Blocks that wait for absent bots do not count.
"""


@dataclass(frozen=True, slots=True)
class PlayPolicy:
    """Limits that trials and comparisons change: on concurrent games and tables, void blocks and changes of bots."""

    initial_games: int = INITIAL_GAMES
    """Concurrent games that a bot begins with at a node."""
    max_tables: int = MAX_TABLES
    """Concurrent tables at a node. A block with more tables is played alone."""
    max_ahead: float = inf
    """How far a new block may be ahead of the first unfinished one, in blocks for each node.

    About one game in 400 lasts 2,000 turns, and in a comparison no later block counts until it ends. With this limit
    it soon has the cores to itself.
    """
    max_spared: float = MAX_SPARED_BLOCKS
    """Number of blocks that may be void for one owner's bots.

    With infinity, a block is void whenever the machine cost a bot time.
    """
    may_write: bool = False
    """Whether a bot may be restarted after its files have changed. True if each bot runs from its own copy."""


DEFAULT_POLICY: Final = PlayPolicy()


class BlockDispatcher:
    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger,
        runner: BlockRunner,
        limiter: ConcurrencyLimiter,
        new_match_id: Callable[[], MatchId],
        restarts: BotRestarts,
        policy: PlayPolicy,
        attendance: Attendance,
    ) -> None:
        self.nodes = restarts.nodes
        self.away = restarts.away
        """Entrants that forfeit from now on, with the reason."""
        self._schedule = schedule
        self._ledger = ledger
        self._runner = runner
        self._limiter = limiter
        self._new_match_id = new_match_id
        self._policy = policy
        self._max_ahead = policy.max_ahead
        self._waiting: list[Block] = []
        """Blocks that wait for room at a node."""
        self._postponed: list[Block] = []
        """Blocks that wait for absent bots or for their date."""
        self._revision = -1
        """The revision of the attendance for which blocks were postponed."""
        self._playing: dict[int, Block] = {}
        """Blocks being played, by number."""
        self._changed = asyncio.Event()
        """Set when a table or a block has ended."""
        self._restarts = restarts
        self._attendance = attendance
        self._may_get_nodes = True
        self._with_room = set(range(len(self.nodes)))
        """Indices of the nodes that may have room, as far as is known."""
        self._watching: list[asyncio.Task[None]] = []

    @property
    def awaited_bots(self) -> Mapping[str, int]:
        """The absent remote bots, each with the number of tables that wait for it."""
        return self._attendance.awaited

    def limit_ahead(self, blocks: int) -> None:
        """Let blocks begin at most this far ahead of the first unfinished one, and no farther than the policy allows.

        Blocks that play on are not held up.
        """
        before, self._max_ahead = self._max_ahead, min(blocks, self._policy.max_ahead)
        if self._max_ahead > before:
            self._changed.set()

    async def play(self) -> None:
        """Play all blocks that are left. Raises EnvironmentFaultError if no node is left, and none will come.

        If cancelled, it leaves the tables as they are. The caller then stops the nodes, and can resume the tables
        later.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                watch = self._restarts.restart_lost_bots
                self._watching = [tasks.create_task(watch(node)) for node in self.nodes]
                self._watching.append(tasks.create_task(self._welcome_nodes(tasks)))
                if self._attendance.may_wait:
                    looking = self._attendance.watch(self._find_present, self._changed.set)
                    self._watching.append(tasks.create_task(looking))
                while self._begin_blocks(tasks):
                    await self._changed.wait()
                    self._changed.clear()
                for task in self._watching:
                    task.cancel()
        except BaseExceptionGroup as failed:  # the first error cancelled the others; callers expect no group
            error: BaseException = failed
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise error from None
        finally:
            await asyncio.gather(*(node.shut_down() for node in self.nodes))
            self._attendance.hold((), is_idle=False)

    @asynccontextmanager
    async def play_in_background(self) -> AsyncIterator[asyncio.Task[None]]:
        """Play while the context runs, and cancel the play on exit.

        If an error ended the play, the task raises this error when it is awaited.
        """
        playing = asyncio.create_task(self.play())
        try:
            yield playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    # ---- inside

    async def _welcome_nodes(self, tasks: asyncio.TaskGroup) -> None:
        """Give blocks to each node that comes in place of a lost one, too."""
        while (node := await self._restarts.next_node()) is not None:
            self._with_room.add(len(self.nodes))
            self.nodes.append(node)
            self._watching.append(tasks.create_task(self._restarts.restart_lost_bots(node)))
            self._changed.set()
        self._may_get_nodes = False
        self._changed.set()

    def _begin_blocks(self, tasks: asyncio.TaskGroup) -> bool:
        """Begin every block that can begin. Return whether any block is being played, or waits for bots or its date."""
        self._refill_waiting()
        while (placement := self._next_placement()) is not None:
            block, index = placement
            node = self.nodes[index]
            self._waiting.remove(block)
            self._playing[block.number] = block
            absent = self._attendance.begin(block)
            away = ChainMap(self.away, dict.fromkeys(absent, "absent"))  # `self.away` may still grow
            on_release = partial(self._note_room, index)
            lease = BotLease(node, block.tables, away, on_release)  # reserves its places right away
            needs_everybody = self._attendance.needs_everybody(block)
            tasks.create_task(self._play_block(block, node, lease, absent, away, needs_everybody))
            self._refill_waiting()
        self._attendance.hold(self._postponed, is_idle=not self._playing)
        can_wait = self._may_get_nodes or (self._attendance.may_wait and any(node.is_up for node in self.nodes))
        if (self._waiting or self._postponed) and not self._playing and not can_wait:
            raise EnvironmentFaultError("no node is left to play")
        return bool(self._playing or self._waiting or self._postponed)

    def _refill_waiting(self) -> None:
        """Take further blocks until enough blocks may begin, or until the next block's round is not open."""
        if self._revision != self._attendance.revision:
            self._revision = self._attendance.revision
            known = sorted((*self._waiting, *self._postponed), key=lambda block: block.number)
            self._waiting, self._postponed = [], []
            self._sort(known)
        while not self._postponed or self._attendance.is_open(self._postponed[-1].round):
            new = self._schedule.take(max(0, LOOKAHEAD_BLOCKS - len(self._waiting)))
            self._sort(new)
            if not new:
                return

    def _sort(self, blocks: Iterable[Block]) -> None:
        """Add blocks to those that wait for room, or to those that wait for absent bots or for their date."""
        for block in blocks:
            (self._waiting if self._attendance.may_begin(block) else self._postponed).append(block)

    async def _find_present(self) -> Collection[str]:
        if not any(node.is_up for node in self.nodes):
            self._changed.set()  # no node is left to which a bot could connect
        return {name for node in self.nodes for name in await node.find_connected()}

    def _note_room(self, index: int) -> None:
        """A table of this node has ended."""
        self._with_room.add(index)
        self._changed.set()

    def _next_placement(self) -> tuple[Block, int] | None:
        """Return the first block that fits a node, and the index of the fitting node with most of the block's bots.

        Returns None if no block fits any node.
        """
        with_room = self._find_room()
        if not with_room:
            return None
        end = inf
        if self._max_ahead < inf:
            unfinished = (*self._playing, *(block.number for block in (*self._waiting, *self._postponed)))
            up = sum(node.is_up for node in self.nodes)
            end = min(unfinished, default=0) + self._max_ahead * max(1, up)

        def suits(index: int) -> tuple[int, int]:
            return self.nodes[index].count_running(block.names), -self.nodes[index].tables

        for block in (each for each in self._waiting if each.number < end):
            fitting = [index for index in with_room if self._has_room(self.nodes[index], block)]
            if fitting:
                return block, max(fitting, key=suits)
        return None

    def _find_room(self) -> list[int]:
        """Return the nodes that may have room for a waiting block. The others come back when a table of theirs ends.

        So the work for a game does not grow with the number of nodes, nearly all of which are full at any time.
        """
        fewest = min((len(block.tables) for block in self._waiting), default=0)
        most = self._policy.max_tables - max(1, fewest)
        self._with_room = {each for each in self._with_room if self.nodes[each].tables <= max(0, most)}
        return sorted(index for index in self._with_room if self.nodes[index].is_up)

    def _has_room(self, node: NodeBots, block: Block) -> bool:
        """Return whether a node may take a block, by the node's number of tables and by each bot's limit of games."""
        if node.tables + len(block.tables) > max(self._policy.max_tables, len(block.tables)):
            return False
        playing = (name for name in block.names if name not in self.away)
        return all(node.seats[name] < self._limiter.max_games(name) for name in playing)

    async def _play_block(
        self,
        block: Block,
        node: NodeBots,
        lease: BotLease,
        absent: Collection[str],
        away: Collection[str],
        needs_everybody: bool,
    ) -> None:
        """Resume the unfinished attempt at a block, or play a new one.

        `away` has the bots that forfeit. `absent` has the bots among them that forfeit only this block. If the block
        still has no result that counts, it becomes the first of the waiting blocks.
        """
        row = self._ledger.unfinished_attempt(block.number)
        if row is None:
            matches = tuple(self._new_match_id() for _ in block.tables)
            attempt = self._ledger.current_attempt(block.number)
            row = BlockRow(block.number, attempt, block.round, block.label, block.tables, matches)
        try:
            with lease:
                await self._attendance.record(block, absent)
                await lease.acquire()
                await self._runner.play(row, node.process, away, lease.release_table, needs_everybody=needs_everybody)
        except LineCutError as error:
            log.warning("a node has ended, another one resumes its block", block=block.number, fault=str(error))
        except NotConnectedError as error:
            self._attendance.note_missing(error.names)
            log.info("a block waits again for its bots", block=block.number, fault=str(error))
        del self._playing[block.number]
        if self._ledger.is_done(block.number):
            self._attendance.end(block)
        else:
            self._waiting.insert(0, block)
            self._revision = -1  # it may have to wait for bots
        self._changed.set()
