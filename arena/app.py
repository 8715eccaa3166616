"""Assembles a server from store, journal, node and services. Only this module joins the outer packages."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from arena import __version__
from arena.config.server_config import ServerConfig
from arena.deal.stream import new_seed
from arena.games.catalogue import games, load_codecs
from arena.ids import new_id
from arena.match.ports import DealStore, MatchId, ResultStore, Signer
from arena.node.event_loop import NodeClock, StampingSelector, infrequent_gc
from arena.node.idempotency import IdempotencyCache, KeyExpiry
from arena.node.identity import RevocableTokens, TokenCache
from arena.node.match_organizer import MatchOrganizer
from arena.node.node import Node
from arena.node.node_ports import MatchObserver, NodeObservers, ProcessMonitor, Sources
from arena.node.result_writer import ResultWriter
from arena.node.revoked_streams import RevokedStreamCloser
from arena.rpc.match_service import MatchService
from arena.rpc.play_service import PlayService
from arena.rpc.server import Server
from arena.rpc.watch_service import WatchService
from arena.store.folder_lock import FolderLock, acquire_folder_lock, wait_for_old_nodes
from arena.store.journal_file import JournalFile
from arena.store.receipt_key import ReceiptKey, open_receipt_key
from arena.store.synced_journal import SyncedJournalFile

if TYPE_CHECKING:
    from arena.store.open_store import Store

log = structlog.get_logger(__name__)

_JOURNAL_CLASSES = {"process": JournalFile, "disk": SyncedJournalFile}


@dataclass(frozen=True, slots=True)
class NodeStores:
    """Groups what a node gets from the process that owns the store."""

    results: ResultStore
    deals: DealStore
    tokens: RevocableTokens
    signer: Signer
    journals: Path
    """The folder for the node's journal."""
    name: str
    """The name of the node and of its journal; it differs with every start."""


@dataclass(frozen=True, slots=True)
class RunningNode:
    """Represents a running node, whose store may belong to another process."""

    address: str
    """host:port."""
    node: Node
    result_writer: ResultWriter
    matches: MatchOrganizer


@dataclass(frozen=True, slots=True)
class RunningServer(RunningNode):
    """Represents a running server with its store in the same process."""

    store: "Store"


def run_node_loop(
    main: Callable[[NodeClock, StampingSelector], Coroutine[None, None, int]], head_start_us: int = 0
) -> int:
    """Run a program in an event loop that stamps arrivals, and return its exit code.

    `head_start_us` is the first instant of the node's clock.
    """
    clock = NodeClock(head_start_us=head_start_us)
    selector = StampingSelector(clock)
    with infrequent_gc(), asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        return runner.run(main(clock, selector))


@asynccontextmanager
async def start_server(
    config: ServerConfig,
    clock: NodeClock,
    selector: StampingSelector,
    observers: Sequence[MatchObserver] = (),
    processes: ProcessMonitor | None = None,
) -> AsyncIterator[RunningServer]:
    """Open the store and start a node in this process. On exit, shut it down in order.

    The shutdown refuses new matches, waits up to the grace period for running ones, and stores all results.

    Raises StoreLockedError, StoreVersionError, StoreError, PortBusyError, OptionError.
    """
    async with open_stores(config.data) as (lock, store, signer):
        name = new_node_name(lock)
        stores = NodeStores(store.results, store.deals, store.tokens, signer, store.journals_folder, name)
        async with start_node(config, stores, clock, selector, observers, processes) as running:
            lock.write_lock_info(running.address)
            yield RunningServer(running.address, running.node, running.result_writer, running.matches, store)


@asynccontextmanager
async def open_stores(data: Path) -> AsyncIterator[tuple[FolderLock, "Store", ReceiptKey]]:
    """Lock a data folder, open its store, and end the matches and reveal the deals that a killed server left open.

    Raises StoreLockedError, StoreVersionError, StoreError.
    """
    from arena.store.crash_recovery import close_interrupted_matches, reveal_abandoned_deals  # noqa: PLC0415  as below
    from arena.store.open_store import open_store  # noqa: PLC0415  a node opens none, and starts in a third of the time

    with acquire_folder_lock(data) as lock:
        await asyncio.to_thread(wait_for_old_nodes, data)
        async with await open_store(data, lock) as store:
            signer = open_receipt_key(store.folder)
            await reveal_abandoned_deals(store.deals, store.journals_folder, games(), signer)
            await close_interrupted_matches(store.results, store.journals_folder, games())
            yield lock, store, signer


@asynccontextmanager
async def start_node(
    config: ServerConfig,
    stores: NodeStores,
    clock: NodeClock,
    selector: StampingSelector,
    observers: Sequence[MatchObserver] = (),
    processes: ProcessMonitor | None = None,
) -> AsyncIterator[RunningNode]:
    """Start a node that uses `stores`, which another process may own. On exit, shut it down in order.

    In the data folder the node writes only its journal. Raises PortBusyError, OptionError, JournalError.
    """
    sources = Sources(lambda: MatchId(new_id()), lambda: new_seed(os.urandom), time.time, stores.signer)
    file = f"{stores.name}.journal"
    journal = _JOURNAL_CLASSES[config.journal](stores.journals / file)
    log.info("journal opened", path=str(journal.path), journal=config.journal)
    result_writer = ResultWriter(stores.results, file, stores.deals)
    creations = IdempotencyCache(config.limits.keys, int(config.limits.key_s * 1e6))
    # The result writer observes even if no games are recorded: it tells those who wait for a match that it has ended.
    node_observers = NodeObservers([result_writer, KeyExpiry(creations, clock.now), *observers], processes)
    node = Node(stores.name, clock, selector, journal, sources, config.limits, load_codecs(), node_observers)
    token_cache = TokenCache(stores.tokens, time.time)
    matches = MatchOrganizer(node, stores.results, stores.deals, result_writer, creations)
    closer = RevokedStreamCloser(lambda: node.open_streams, stores.tokens, token_cache)
    play, watch = PlayService(node, stores.tokens, __version__), WatchService(node, stores.tokens)
    match_service = MatchService(matches, token_cache, node.game_codecs)
    server = Server(config.limits, [play.handler(), match_service.handler(), watch.handler()])
    port = await server.start(config.host, config.port)
    tasks = [asyncio.ensure_future(work) for work in (result_writer.run(), closer.run())]
    try:
        yield RunningNode(f"{config.host}:{port}", node, result_writer, matches)
    finally:
        await _shut_down(config, node, server, matches, result_writer)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        node.close()
        journal.close()


async def _shut_down(
    config: ServerConfig, node: Node, server: Server, matches: MatchOrganizer, result_writer: ResultWriter
) -> None:
    node.registry.is_closing = True
    await server.set_healthy(False)
    deadline = time.monotonic() + config.grace_s
    while node.registry.matches and time.monotonic() < deadline:  # noqa: ASYNC110  a stop happens once
        await asyncio.sleep(0.05)
    await matches.close()
    node.inbox.drain()
    node.registry.close(node.now())
    for session in list(node.sessions.values()):
        session.end("shutting_down", "the server stops")
    await result_writer.drain()
    await server.stop(grace_s=1.0)


def new_node_name(lock: FolderLock) -> str:
    """Return a name for a node that starts now: a new id, which sorts by time, and the number of the folder lock."""
    return f"{new_id()}-{lock.number}"
