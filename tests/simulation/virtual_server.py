"""A server on the virtual disk and network: the arena's own parts, joined as `arena.fleet.assembly` joins them."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest import mock

from arena.errors import ArenaError, JournalError
from arena.fleet.assembly.node import _shut_down
from arena.games.catalogue import games, load_codecs
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from arena.server.node.background_work import run_in_background
from arena.server.node.deals import Sources
from arena.server.node.idempotency import IdempotencyCache, KeyExpiry
from arena.server.node.limits import Limits
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer
from arena.server.node.match_resumer import MatchResumer
from arena.server.node.node import Node
from arena.server.node.observers import NodeObservers
from arena.server.node.result_writer import ResultWriter
from arena.server.rpc.caller import CallerReader
from arena.server.rpc.play_service import PlayService
from arena.server.store.account_values import Scope, TokenIdentity
from arena.server.store.crash_recovery import (
    JournalCache,
    close_interrupted_matches,
    close_match,
    find_interrupted_matches,
    reveal_abandoned_deals,
)
from arena.server.store.receipt_key import ReceiptKey
from tests.simulation.virtual_disk import DiskJournal, MemoryStore, ProcessJournal, VirtualDisk
from tests.simulation.virtual_time import VirtualLoop, World

SIGNER = ReceiptKey(bytes(range(32)))
MAX_TRIES = 40
LIMITS = Limits(leaves_matches=True, joins_a_minute=1000)


class _Tokens:
    """Takes a bot's name as its token."""

    async def check(self, secret: str) -> TokenIdentity:
        return TokenIdentity(secret, frozenset({Scope.PLAY}), handle="")


class VirtualSyncer:
    """Syncs the journal after a virtual delay; in place of the one that uses a thread."""

    def __init__(self, world: World, journal: Any) -> None:
        self.journal = journal
        self._world = world
        self._loop = asyncio.get_running_loop()

    def sync(self, then: Callable[[JournalError | None], None]) -> None:
        """Sync later, then call `then`."""
        self._world.schedule(self._world.random.choice((300, 2_000, 9_000)), partial(self._finish, then))

    def _finish(self, then: Callable[[JournalError | None], None]) -> None:
        if self._loop.is_closed():
            return
        try:
            self.journal.sync()
        except JournalError as error:
            then(error)
        else:
            then(None)

    def close(self) -> None:
        """Do nothing: no thread runs."""


class VirtualServer:
    """One life of a server, from its start to its stop or kill."""

    def __init__(self, world: World, disk: VirtualDisk, loop: VirtualLoop, number: int, syncs: bool) -> None:
        self.name = f"{'0' * 22}{number:04}-{number}"
        self.stopped = asyncio.Event()
        self.node: Node | None = None
        self.play: PlayService | None = None
        self.matches: MatchOrganizer | None = None
        self.resumer: MatchResumer | None = None
        self._world = world
        self._disk = disk
        self._loop = loop
        self._syncs = syncs
        self._store: Any = MemoryStore(disk)

    async def run(self, orders: "Sequence[Order]") -> None:
        """Recover, serve, and shut down when `stopped` is set."""
        store, folder, world = self._store, self._disk.folder, self._world
        journals = JournalCache(folder)
        left = await find_interrupted_matches(store, store, journals, games())
        await reveal_abandoned_deals(store, journals, games(), SIGNER, except_for=left)
        await close_interrupted_matches(store, journals, games(), except_for=left)
        world.note(f"server {self.name} starts with {sorted(left)}")
        kind = DiskJournal if self._syncs else ProcessJournal
        file = f"{self.name}.journal"
        journal = kind(folder / file, self._disk)
        with ExitStack() as stack:
            stack.enter_context(
                mock.patch("arena.server.node.guarded_journal.JournalSyncer", partial(VirtualSyncer, world))
            )
            writer = ResultWriter(store, file, store)
            creations = IdempotencyCache(100, 600_000_000)
            observers = NodeObservers([writer, KeyExpiry(creations, self._loop.clock.now)])
            sources = Sources(self._new_id, lambda: world.random.randbytes(32), world.wall_clock, SIGNER)
            node = self.node = Node(
                self.name,
                self._loop.clock,
                self._loop.stamping_selector,
                journal,
                sources,
                LIMITS,
                load_codecs(),
                observers,
            )
            close = partial(close_match, store, store, folder, games(), SIGNER)
            self.resumer = MatchResumer(node, left, store, writer, file, bot_return_s=10.0, close_match=close)
            self.matches = MatchOrganizer(node, store, store, writer, creations, self.resumer)
            tokens: Any = _Tokens()
            self.play = PlayService(node, tokens, CallerReader(8192), "simulated")
            works = [order.place(self) for order in orders]
            async with run_in_background(writer.run(node.journal.wait_until_recorded), self.resumer.run(), *works):
                await self.stopped.wait()
                await self._shut_down(node, writer)
        node.close()
        journal.close()

    async def _shut_down(self, node: Node, writer: ResultWriter) -> None:
        async def stop(grace_s: float) -> None:
            await asyncio.sleep(grace_s)

        assert self.matches is not None
        config: Any = SimpleNamespace(grace_s=0)
        server: Any = SimpleNamespace(stop=stop)
        await _shut_down(config, node, server, self.matches, writer)

    def _new_id(self) -> MatchId:
        milliseconds = self._world.now_us // 1000
        return MatchId(f"{milliseconds:010}{self._world.random.randrange(10**16):016}")


class Order:
    """An organizer's order for one match; it tries until the match is created."""

    def __init__(self, world: World, terms: RequestedTerms, after_us: int, key: str) -> None:
        self._world = world
        self._terms = terms
        self._after_us = after_us
        self._key = key
        self.match_id: MatchId | None = None
        """The match, once a server has said that it is created."""
        self.is_dropped = False
        """Whether the organizer has given up, as a bot never came."""

    async def place(self, server: VirtualServer) -> None:
        """Create the match at a server, if it is not created yet."""
        await asyncio.sleep(self._after_us / 1e6)
        for _ in range(MAX_TRIES):
            assert server.matches is not None
            try:
                request = CreationRequest(self._terms, organizer="organizer", key=self._key)
                state, deal = await server.matches.create(request)
            except ArenaError as error:
                self._world.note(f"creation refused: {type(error).__name__}")
                await asyncio.sleep(0.4)
            else:
                assert deal is not None
                self.match_id = state.match_id
                self._world.note(f"created {self.match_id}")
                return
        self.is_dropped = True
