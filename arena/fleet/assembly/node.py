"""Assembles a node from journal, matches and services, and runs it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from arena.bots.launch.cpu_times import RunQueueWaits
from arena.competition.pools.matchmaker import Matchmaker
from arena.errors import OptionError
from arena.fleet.assembly.services import build_services
from arena.fleet.assembly.stores import NodeStores
from arena.games.catalogue import load_codecs
from arena.ids import AscendingIds
from arena.log_lines import get_logger
from arena.match.deal.stream import new_seed
from arena.match.referee.ports import Journal, MatchId
from arena.server.config.server_config import ServerConfig
from arena.server.guards.descriptors import IdleConnectionCloser
from arena.server.guards.memory import MemoryGuard
from arena.server.node.background_work import run_in_background
from arena.server.node.deals import Sources
from arena.server.node.event_loop import NodeClock, StampingSelector, infrequent_gc
from arena.server.node.idempotency import IdempotencyCache, KeyExpiry
from arena.server.node.identity import TokenCache
from arena.server.node.match_organizer import MatchOrganizer
from arena.server.node.match_resumer import MatchResumer
from arena.server.node.node import Node
from arena.server.node.observers import MatchObserver, NodeObservers, ProcessMonitor
from arena.server.node.pool_observer import PoolObserver
from arena.server.node.result_writer import ResultWriter
from arena.server.node.retirement import Retirement
from arena.server.node.time_credits import CoreWaits
from arena.server.node.token_streams import NotedTokens, RevokedStreamCloser, TokenUses
from arena.server.rpc.caller import CallerReader, parse_proxies
from arena.server.rpc.certificate import CertificateFiles, ServerCertificate
from arena.server.rpc.listeners import (
    Listener,
    UnixListener,
    choose_own_address,
    join_address,
    plan_listeners,
    plan_unix_listeners,
    select_tcp_addresses,
    split_address,
)
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.rpc.server import Server
from arena.server.store.journal_file import JournalFile
from arena.server.store.synced_journal import SyncedJournalFile

log = get_logger(__name__)

_JOURNAL_CLASSES = {"process": JournalFile, "disk": SyncedJournalFile}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A running node, whose store may belong to another process."""

    address: str
    """Where programs of this machine reach the node, HOST:PORT or unix:PATH."""
    speaks_tls: bool
    public_address: str
    """HOST:PORT that people are told: that of the settings, or else of the first listener."""
    node: Node
    result_writer: ResultWriter
    matches: MatchOrganizer
    listening: Sequence[str]
    """HOST:PORT of each listener."""
    sockets: Sequence[str]
    """unix:PATH of each Unix socket on which it listens."""


def run_node_loop(main: Callable[[NodeClock, StampingSelector], Coroutine[None, None, T]], head_start_us: int = 0) -> T:
    """`head_start_us` is the first instant of the node's clock."""
    clock = NodeClock(head_start_us=head_start_us)
    selector = StampingSelector(clock)
    with infrequent_gc(), asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        return runner.run(main(clock, selector))


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
    with _open_journal(config, stores) as journal, _sample_core_waits(clock, selector) as core_waits:
        file = f"{stores.name}.journal"
        result_writer = ResultWriter(stores.results, file, stores.deals)
        creations = IdempotencyCache(config.limits.keys, int(config.limits.key_s * 1e6))
        # The result writer observes matches even if no games are recorded, because it tells waiting callers when a
        # match has ended.
        all_observers: list[MatchObserver] = [result_writer, KeyExpiry(creations, clock.now), *observers]
        matchmakers = [] if stores.matchmaker is None else [stores.matchmaker]
        all_observers += map(PoolObserver, matchmakers)
        watching = NodeObservers(all_observers, processes, matchmakers, core_waits)
        ids = AscendingIds()
        sources = Sources(lambda: MatchId(ids.new_id()), lambda: new_seed(os.urandom), time.time, stores.signer)
        node = Node(stores.name, clock, selector, journal, sources, config.limits, load_codecs(), watching)
        wait_s, close = config.bot_return_s, stores.close_match
        resumer = MatchResumer(node, stores.interrupted, stores.results, result_writer, file, wait_s, close)
        matches = MatchOrganizer(node, stores.results, stores.deals, result_writer, creations, resumer)
        serving = _serve(config, stores, node, matches, result_writer, resumer, listeners, certificate)
        with closing(node):
            async with serving as running:
                yield running


@contextmanager
def _open_journal(config: ServerConfig, stores: NodeStores) -> Iterator[Journal]:
    """Raises JournalError."""
    if stores.journal is not None:
        yield stores.journal
        return
    with closing(_JOURNAL_CLASSES[config.journal](stores.journals / f"{stores.name}.journal")) as journal:
        log.info("journal opened", path=str(journal.path), journal=config.journal)
        yield journal


@contextmanager
def _sample_core_waits(clock: NodeClock, selector: StampingSelector) -> Iterator[CoreWaits | None]:
    """Yield None if the system does not report for how long this process waits for a core."""
    run_queue = RunQueueWaits.open()
    if run_queue is None:
        yield None
        return
    with closing(run_queue):
        yield CoreWaits(clock.now, lambda: selector.arrival_stamp, run_queue.read_us)


@asynccontextmanager
async def _serve(
    config: ServerConfig,
    stores: NodeStores,
    node: Node,
    matches: MatchOrganizer,
    result_writer: ResultWriter,
    resumer: MatchResumer,
    listeners: Sequence[Listener | UnixListener],
    certificate: ServerCertificate | None,
) -> AsyncIterator[RunningNode]:
    """On exit, shut the node down in order. Raises PortBusyError, OptionError."""
    token_cache = TokenCache(stores.tokens, time.time)
    token_uses = TokenUses(stores.tokens, lambda: node.open_streams, time.time)
    tokens, known_tokens = NotedTokens(stores.tokens, token_uses), NotedTokens(token_cache, token_uses)
    callers = CallerReader(config.limits.metadata_bytes, parse_proxies(config.plaintext_behind_proxy))
    methods = MethodBuilder(callers, known_tokens, node.admission)
    server = Server(config.limits, build_services(node, stores, matches, tokens, callers, methods), node.calls)
    listening = await server.start(listeners, certificate)
    addresses = select_tcp_addresses(listening)
    closer, parts = RevokedStreamCloser(lambda: node.open_streams, stores.tokens, token_cache), stores.submissions

    def find_most_idle(address: str) -> int | None:
        return None if callers.is_proxy(address) else node.admission.find_most_connections(address)

    async with run_in_background(
        result_writer.run(node.journal.wait_until_recorded),
        closer.run(),
        resumer.run(),
        token_uses.run(),
        *([] if parts is None else [Retirement(node, closer, resumer, parts.versions, parts.tokens).run()]),
        *([] if stores.matchmaker is None else [_make_pool_matches(stores.matchmaker, node, matches)]),
        IdleConnectionCloser(listening, callers.identified, find_most_idle).run(),
        MemoryGuard(listening, callers.identified, callers.is_proxy).run(),
    ):
        try:
            yield RunningNode(
                *choose_own_address(listeners, listening),
                config.public_address or addresses[0],
                node,
                result_writer,
                matches,
                addresses,
                [address for address in listening if address not in addresses],
            )
        finally:
            await _shut_down(config, node, server, matches, result_writer)
            await token_uses.record()


async def _make_pool_matches(matchmaker: Matchmaker, node: Node, matches: MatchOrganizer) -> None:
    await node.resumed.wait()
    await matchmaker.run(matches)


def _plan_listeners(config: ServerConfig) -> list[Listener | UnixListener]:
    """Raises OptionError for a setting that `plan_listeners` refuses, and for a malformed public address."""
    if config.public_address:
        split_address("public_address", config.public_address)
    addresses = select_tcp_addresses(config.listen)
    listeners = plan_listeners(
        addresses or [join_address(config.host.strip("[]"), config.port)],
        setting="listen" if addresses else "host",
        has_certificate=config.tls_cert is not None,
        tls_on_loopback=config.tls_on_loopback,
        has_proxy=bool(config.plaintext_behind_proxy),
    )
    return [*listeners, *plan_unix_listeners(config.listen)]


def _load_certificate(config: ServerConfig) -> ServerCertificate | None:
    """Raises OptionError if the certificate or the key is missing or bad."""
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
