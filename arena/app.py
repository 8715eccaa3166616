"""Assembles a server from store, journal, node and services. Only this module joins the outer packages."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena import __version__
from arena.config.server_config import ServerConfig
from arena.config.site_url import check_site_url
from arena.deal.stream import new_seed
from arena.errors import OptionError
from arena.games.catalogue import games, load_codecs, phrasing_of, resolve_game_and_preset
from arena.ids import new_id
from arena.launch.house_programs import HouseProgram, find_house_programs
from arena.launch.run_queue import RunQueueWaits
from arena.log_lines import get_logger
from arena.match.interrupted_match import InterruptedMatch
from arena.match.ports import DealStore, MatchId, ResultStore, Signer
from arena.node.accounts import Accounts
from arena.node.background_tasks import run_in_background
from arena.node.challenges import Challenges
from arena.node.core_wait import CoreWaits
from arena.node.event_loop import NodeClock, StampingSelector, infrequent_gc
from arena.node.idempotency import IdempotencyCache, KeyExpiry
from arena.node.identity import RecordedTokens, TokenCache
from arena.node.match_organizer import MatchOrganizer
from arena.node.match_resumer import MatchResumer
from arena.node.node import Node
from arena.node.node_ports import MatchObserver, NodeObservers, ProcessMonitor, Sources
from arena.node.pool_matches import PoolHost, PoolObserver
from arena.node.result_writer import ResultWriter
from arena.node.revoked_streams import RevokedStreamCloser
from arena.node.token_uses import NotedTokens, TokenUses
from arena.pools.matchmaker import Matchmaker
from arena.pools.pool import Pool, build_pools
from arena.rpc import (
    account_service,
    author_service,
    match_service,
    play_service,
    pool_service,
    status_service,
    watch_service,
)
from arena.rpc.account_service import AccountService
from arena.rpc.author_service import AuthorArchive, AuthorService
from arena.rpc.caller import CallerReader, parse_proxies
from arena.rpc.certificate import CertificateFiles, ServerCertificate
from arena.rpc.descriptors import IdleConnectionCloser
from arena.rpc.health_service import HealthService
from arena.rpc.listeners import Listener, join_address, plan_listeners, split_address
from arena.rpc.match_service import MatchService
from arena.rpc.method_builder import MethodBuilder
from arena.rpc.play_service import PlayService
from arena.rpc.pool_service import PoolService
from arena.rpc.server import Server, Service
from arena.rpc.status_service import StatusService
from arena.rpc.watch_service import WatchService
from arena.store.folder_lock import FolderLock, acquire_folder_lock, wait_for_old_nodes
from arena.store.journal_file import JournalFile
from arena.store.receipt_key import ReceiptKey, open_receipt_key
from arena.store.synced_journal import SyncedJournalFile

if TYPE_CHECKING:
    from arena.store.open_store import Store

log = get_logger(__name__)

SERVICE_NAMES = tuple(
    each.SERVICE
    for each in (
        play_service,
        match_service,
        watch_service,
        pool_service,
        status_service,
        account_service,
        author_service,
    )
)
"""The services that a health check may ask about. A node without a store of its own does not serve the last two."""

_JOURNAL_CLASSES = {"process": JournalFile, "disk": SyncedJournalFile}


async def _leave_open(match_id: MatchId) -> None:
    """Do nothing, because the node of a runner takes up no matches."""


@dataclass(frozen=True, slots=True)
class OpenStores:
    """Holds the lock of a data folder and everything that was opened under the lock."""

    lock: FolderLock
    store: "Store"
    signer: ReceiptKey
    interrupted: Mapping[MatchId, InterruptedMatch]
    """The matches that an earlier `arena serve` left unfinished."""


@dataclass(frozen=True, slots=True)
class NodeStores:
    """Groups the objects that a node gets from the process that owns the store."""

    results: ResultStore
    deals: DealStore
    tokens: RecordedTokens
    signer: Signer
    journals: Path
    """The folder for the node's journal."""
    name: str
    """The name of the node and its journal. Every start uses a different name."""
    is_writable: Callable[[], bool] = lambda: True
    """Returns False if the latest attempt to write the store failed."""
    interrupted: Mapping[MatchId, InterruptedMatch] = field(default_factory=dict)
    """The matches to take up."""
    close_match: Callable[[MatchId], Awaitable[None]] = _leave_open
    """Ends one of these matches as interrupted if it cannot be taken up. Raises StoreError."""
    accounts: Accounts | None = None
    """Owners and invitations; None for a node whose store belongs to another process."""
    authors: AuthorArchive | None = None
    """What authors may read; None for a node whose store belongs to another process."""
    matchmaker: Matchmaker | None = None
    """Makes the matches of pools; None if there are no pools."""


@dataclass(frozen=True, slots=True)
class RunningNode:
    """Represents a running node, whose store may belong to another process."""

    address: str
    """HOST:PORT at which bots reach the node."""
    node: Node
    result_writer: ResultWriter
    matches: MatchOrganizer
    listening: Sequence[str]
    """HOST:PORT of each listener."""


@dataclass(frozen=True, slots=True)
class RunningServer(RunningNode):
    """Represents a running server with its store in the same process."""

    store: "Store"
    matchmaker: Matchmaker | None
    """Makes the matches of pools; None if there are no pools."""
    house_programs: Sequence[HouseProgram]
    """The house bots of the pools, which the caller starts."""


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
    *,
    resumes: bool = False,
) -> AsyncIterator[RunningServer]:
    """Open the store and start a node in this process. On exit, shut it down in order.

    The shutdown refuses new matches, waits up to the grace period for running ones, and stores all results. If
    `resumes` is set, the server takes up the matches that an earlier server left unfinished, and it leaves its own
    unfinished matches to the next server. Otherwise unfinished matches end as `interrupted`.

    Raises StoreLockedError, StoreVersionError, StoreError, PortBusyError, OptionError, OptionsError.
    """
    from arena.replays.author_archive import open_author_archive
    from arena.replays.author_reader import GameParts
    from arena.store.crash_recovery import close_match
    from arena.store.write_probe import WriteProbe

    check_site_url("web_url", config.web_url)
    config = replace(config, limits=replace(config.limits, leaves_matches=resumes))
    house = find_house_programs(config.pools)
    pools = build_pools(
        config.pools, games(), resolve_game_and_preset, {text: each.name for text, each in house.items()}
    )
    parts = GameParts(games, load_codecs, phrasing_of)
    async with open_stores(config.data) as opened, open_author_archive(config.data, parts) as authors:
        store, probe = opened.store, WriteProbe(opened.store.database)
        matchmaker = await _load_matchmaker(pools, store, clock) if pools else None
        stores = replace(
            _node_stores(opened, authors, config.web_url),
            matchmaker=matchmaker,
            is_writable=lambda: probe.is_writable,
            interrupted=opened.interrupted if resumes else {},
            close_match=partial(close_match, store.results, store.deals, store.journals_folder, games(), opened.signer),
        )
        async with start_node(config, stores, clock, selector, observers, processes) as running:
            opened.lock.write_lock_info(running.address, config.public_address)
            works = [probe.run(), authors.warm_up()] if resumes else [probe.run()]
            async with run_in_background(*works):
                yield RunningServer(
                    running.address,
                    running.node,
                    running.result_writer,
                    running.matches,
                    running.listening,
                    store,
                    matchmaker,
                    tuple(house.values()),
                )


async def _load_matchmaker(pools: Mapping[str, Pool], store: "Store", clock: NodeClock) -> Matchmaker:
    """Return the matchmaker of these pools with their seasons and ratings. Raises StoreError, OptionError."""
    matchmaker = Matchmaker(pools, store.pools, lambda: clock.now() / 1e6, time.time, new_id)
    await matchmaker.load()
    return matchmaker


def _node_stores(opened: OpenStores, authors: AuthorArchive, web_url: str) -> NodeStores:
    """Return the stores of a node in the process that has opened them."""
    store = opened.store
    return NodeStores(
        results=store.results,
        deals=store.deals,
        tokens=store.tokens,
        signer=opened.signer,
        journals=store.journals_folder,
        name=new_node_name(opened.lock),
        accounts=Accounts(store.invitations, store.owners, store.tokens, store.logins, web_url),
        authors=authors,
    )


@asynccontextmanager
async def open_stores(data: Path) -> AsyncIterator[OpenStores]:
    """Lock a data folder and open its store. End the matches and reveal the deals that a killed server left open.

    Matches that `arena serve` can take up stay as they are, and so do their deals.

    Raises StoreLockedError, StoreVersionError, StoreError.
    """
    from arena.store.crash_recovery import (
        JournalCache,
        close_interrupted_matches,
        find_interrupted_matches,
        reveal_abandoned_deals,
        warn_of_strange_journals,
    )
    from arena.store.open_store import open_store

    with acquire_folder_lock(data) as lock:
        await asyncio.to_thread(wait_for_old_nodes, data)
        async with await open_store(data, lock) as store:
            signer = open_receipt_key(store.folder, has_deals=await store.deals.has_deals())
            warn_of_strange_journals(store.journals_folder)
            journals = JournalCache(store.journals_folder)
            left = await find_interrupted_matches(store.results, store.deals, journals, games())
            await reveal_abandoned_deals(store.deals, journals, games(), signer, except_for=left)
            await close_interrupted_matches(store.results, journals, games(), except_for=left)
            yield OpenStores(lock, store, signer, left)


@asynccontextmanager
async def start_node(
    config: ServerConfig,
    stores: NodeStores,
    clock: NodeClock,
    selector: StampingSelector,
    observers: Sequence[MatchObserver],
    processes: ProcessMonitor | None,
) -> AsyncIterator[RunningNode]:
    """Start a node that uses `stores`, which another process may own. On exit, shut the node down in order.

    In the data folder the node writes only its journal. Raises PortBusyError, OptionError, JournalError.
    """
    listeners, certificate = _plan_listeners(config), _load_certificate(config)
    with closing(_open_journal(config, stores)) as journal, _sample_core_waits(clock) as core_waits:
        file = journal.path.name
        result_writer = ResultWriter(stores.results, file, stores.deals)
        creations = IdempotencyCache(config.limits.keys, int(config.limits.key_s * 1e6))
        # The result writer observes matches even if no games are recorded, because it tells waiting callers when a
        # match has ended.
        all_observers: list[MatchObserver] = [result_writer, KeyExpiry(creations, clock.now), *observers]
        pool_observers = [] if stores.matchmaker is None else [PoolObserver(stores.matchmaker)]
        watching = NodeObservers([*all_observers, *pool_observers], processes, pool_observers, core_waits)
        sources = Sources(lambda: MatchId(new_id()), lambda: new_seed(os.urandom), time.time, stores.signer)
        node = Node(stores.name, clock, selector, journal, sources, config.limits, load_codecs(), watching)
        wait_s, close = config.bot_return_s, stores.close_match
        resumer = MatchResumer(node, stores.interrupted, stores.results, result_writer, file, wait_s, close)
        matches = MatchOrganizer(node, stores.results, stores.deals, result_writer, creations, resumer)
        serving = _serve(config, stores, node, matches, result_writer, resumer, listeners, certificate)
        with closing(node):
            async with serving as running:
                yield running


def _open_journal(config: ServerConfig, stores: NodeStores) -> JournalFile:
    """Open the node's journal. Raises JournalError."""
    journal = _JOURNAL_CLASSES[config.journal](stores.journals / f"{stores.name}.journal")
    log.info("journal opened", path=str(journal.path), journal=config.journal)
    return journal


@contextmanager
def _sample_core_waits(clock: NodeClock) -> Iterator[CoreWaits | None]:
    """Return samples of how long this process waits for a core; None if the system does not report it."""
    run_queue = RunQueueWaits.open()
    if run_queue is None:
        yield None
        return
    with closing(run_queue):
        yield CoreWaits(clock.now, run_queue.read_us)


@asynccontextmanager
async def _serve(
    config: ServerConfig,
    stores: NodeStores,
    node: Node,
    matches: MatchOrganizer,
    result_writer: ResultWriter,
    resumer: MatchResumer,
    listeners: Sequence[Listener],
    certificate: ServerCertificate | None,
) -> AsyncIterator[RunningNode]:
    """Listen for the node's services, and do its work in the background. On exit, shut the node down in order.

    Raises PortBusyError, OptionError.
    """
    token_cache = TokenCache(stores.tokens, time.time)
    token_uses = TokenUses(stores.tokens, lambda: node.open_streams, time.time)
    tokens, known_tokens = NotedTokens(stores.tokens, token_uses), NotedTokens(token_cache, token_uses)
    callers = CallerReader(config.limits.metadata_bytes, parse_proxies(config.plaintext_behind_proxy))
    methods = MethodBuilder(callers, known_tokens, node.admission)
    server = Server(config.limits, _build_services(node, stores, matches, tokens, callers, methods))
    addresses = await server.start(listeners, certificate)
    async with run_in_background(
        result_writer.run(node.journal.wait_until_recorded),
        RevokedStreamCloser(lambda: node.open_streams, stores.tokens, token_cache).run(),
        resumer.run(),
        token_uses.run(),
        *([] if stores.matchmaker is None else [_make_pool_matches(stores.matchmaker, node, matches)]),
        IdleConnectionCloser(addresses, callers.identified).run(),
    ):
        try:
            yield RunningNode(config.public_address or addresses[0], node, result_writer, matches, addresses)
        finally:
            await _shut_down(config, node, server, matches, result_writer)
            await token_uses.record()


async def _make_pool_matches(matchmaker: Matchmaker, node: Node, matches: MatchOrganizer) -> None:
    """Make the matches of pools as soon as the node may play."""
    await node.resumed.wait()
    await matchmaker.run(PoolHost(matches))


def _build_services(
    node: Node,
    stores: NodeStores,
    matches: MatchOrganizer,
    tokens: NotedTokens,
    callers: CallerReader,
    methods: MethodBuilder,
) -> list[Service]:
    """Return all services that a node with these stores has."""
    services: list[Service] = [
        PlayService(node, tokens, callers, __version__),
        MatchService(matches, methods, node.game_codecs),
        WatchService(node, tokens, callers),
        _build_pool_service(node, stores.matchmaker, matches, methods),
        StatusService(node, stores.matchmaker, methods),
        HealthService(
            SERVICE_NAMES,
            callers,
            lambda: node.resumed.is_set() and stores.is_writable() and not node.registry.is_closing,
        ),
    ]
    if stores.accounts is not None:
        services.append(AccountService(stores.accounts, node.admission, methods))
    if stores.authors is not None:
        services.append(AuthorService(node, methods, tokens, stores.authors))
    return services


def _build_pool_service(
    node: Node, matchmaker: Matchmaker | None, matches: MatchOrganizer, methods: MethodBuilder
) -> PoolService:
    """Return the service for pools and challenges. A server without pools has challenges too."""
    pools = {} if matchmaker is None else matchmaker.pools
    house_bots = {name: running.pool.house_names for name, running in pools.items()}
    challenges = Challenges(node.registry.sessions, games(), house_bots, matches, node.now)
    return PoolService(matchmaker, challenges, resolve_game_and_preset, methods, node.game_codecs)


def _plan_listeners(config: ServerConfig) -> list[Listener]:
    """Return the listeners of a server.

    Raises OptionError for a setting that `plan_listeners` refuses, and for a malformed public address.
    """
    if config.public_address:
        split_address("public_address", config.public_address)
    return plan_listeners(
        config.listen or [join_address(config.host.strip("[]"), config.port)],
        setting="listen" if config.listen else "host",
        has_certificate=config.tls_cert is not None,
        tls_on_loopback=config.tls_on_loopback,
        has_proxy=bool(config.plaintext_behind_proxy),
    )


def _load_certificate(config: ServerConfig) -> ServerCertificate | None:
    """Return the server's certificate, if there is one.

    Raises OptionError if the certificate or the key is missing or bad.
    """
    if config.tls_cert is None or config.tls_key is None:
        if config.tls_cert is not config.tls_key:
            missing = "tls_key" if config.tls_key is None else "tls_cert"
            raise OptionError(missing, None, "a certificate and its key come together: set tls_cert and tls_key")
        return None
    return ServerCertificate(CertificateFiles(config.tls_cert, config.tls_key, config.tls_client_ca))


async def _shut_down(
    config: ServerConfig, node: Node, server: Server, matches: MatchOrganizer, result_writer: ResultWriter
) -> None:
    node.registry.is_closing = True
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
    """Return the name of a node that starts now: a new id, which sorts by time, and the folder lock's number."""
    return f"{new_id()}-{lock.number}"
