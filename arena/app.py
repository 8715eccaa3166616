"""Joins everything into a server: store, journal, node, services. The one place where outer rooms meet."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import structlog

from arena import __version__
from arena.deal.stream import new_seed
from arena.errors import StoreError
from arena.match.booking import Booking
from arena.match.furnishing import Sources
from arena.match.ports import DealStore, MatchId, ResultStore, Signer
from arena.rpc.auth import Authority, KnownTokens
from arena.rpc.games import games
from arena.rpc.limits import Limits
from arena.rpc.loop import NodeClock, StampingSelector, calm_collector
from arena.rpc.match_service import MatchService
from arena.rpc.node import Node
from arena.rpc.play_service import PlayService
from arena.rpc.server import Server
from arena.rpc.session import Session
from arena.rpc.spectator import Spectator
from arena.rpc.watch_service import WatchService
from arena.store.archivist import Archivist
from arena.store.identities import Revocations
from arena.store.journal_file import JournalFile
from arena.store.lock import Hold, hold, outlast_nodes
from arena.store.signing import ReceiptKey, open_receipt_key
from arena.store.synced_journal import SyncedJournal

if TYPE_CHECKING:
    from arena.store.opening import Store

log = structlog.get_logger(__name__)

TOKENS_S = 0.5
"""How often tokens that were revoked or have expired are looked for."""
_JOURNALS = {"process": JournalFile, "disk": SyncedJournal}
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Where a server keeps its things and where it listens."""

    data: Path
    """Data folder; made if it is missing."""
    host: str = "127.0.0.1"
    port: int = 0
    """0: any free one."""
    limits: Limits = field(default_factory=Limits)
    grace_s: float = 5.0
    """How long running matches may go on after a stop is asked for."""
    journal: Literal["process", "disk"] = "process"
    """What the journal survives before anybody is told: the end of the process, or a power cut too."""


class Tokens(Authority, Protocol):
    """Knows the tokens, and those that are good no more."""

    async def revoked_since(self, revision: int) -> Revocations:
        """Give what any process revoked after a revision, 0 being before the first. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a node needs of whoever owns the store."""

    results: ResultStore
    deals: DealStore
    tokens: Tokens
    signer: Signer
    journals: Path
    """Takes the node's journal."""
    name: str
    """The node's, and its journal's: new with every start."""


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A server at work, wherever its store is."""

    address: str
    """host:port."""
    node: Node
    archivist: Archivist


@dataclass(frozen=True, slots=True)
class RunningServer(RunningNode):
    """A server at work with its store in the same process."""

    store: "Store"


def run_node(main: Callable[[NodeClock, StampingSelector], Coroutine[None, None, int]]) -> int:
    """Run a coroutine in a loop that stamps arrivals; gives its exit code."""
    clock = NodeClock()
    selector = StampingSelector(clock)
    with calm_collector(), asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        return runner.run(main(clock, selector))


@asynccontextmanager
async def serving(config: ServerConfig, clock: NodeClock, selector: StampingSelector) -> AsyncIterator[RunningServer]:
    """Open the store, listen, and on leaving stop in order: no new matches, the grace, results kept.

    Raises StoreHeldError, StoreVersionError, StoreError, PortBusyError, OptionError.
    """
    async with keeping(config.data) as (held, store, signer):
        kept = Keeping(store.results, store.deals, store.tokens, signer, store.journals, new_node_name(held))
        async with serving_node(config, kept, clock, selector) as at_work:
            held.tell(at_work.address)
            yield RunningServer(at_work.address, at_work.node, at_work.archivist, store)


@asynccontextmanager
async def keeping(data: Path) -> AsyncIterator[tuple[Hold, "Store", ReceiptKey]]:
    """Become the one writer of a data folder and close what a killed one left behind.

    Raises StoreHeldError, StoreVersionError, StoreError.
    """
    from arena.store.opening import open_store  # noqa: PLC0415  a node opens none, and starts in a third of the time
    from arena.store.recovery import close_interrupted, open_left_deals  # noqa: PLC0415  as above

    with hold(data) as held:
        await asyncio.to_thread(outlast_nodes, data)
        async with await open_store(data, held) as store:
            signer = open_receipt_key(store.folder)
            await open_left_deals(store.deals, store.journals, games(), signer)
            await close_interrupted(store.results, store.journals, games())
            yield held, store, signer


@asynccontextmanager
async def serving_node(
    config: ServerConfig, kept: Keeping, clock: NodeClock, selector: StampingSelector
) -> AsyncIterator[RunningNode]:
    """Listen and play with a store that somebody else owns; on leaving stop in order.

    Of the data folder the journal alone is touched. Raises PortBusyError, OptionError, JournalError.
    """
    sources = Sources(new_match_id, lambda: new_seed(os.urandom), time.time, kept.signer)
    file = f"{kept.name}.journal"
    journal = _JOURNALS[config.journal](kept.journals / file)
    log.info("journal opened", path=str(journal.path), journal=config.journal)
    node = Node(kept.name, clock, selector, journal, sources, config.limits)
    archivist = Archivist(kept.results, games(), file, kept.deals)
    known = KnownTokens(kept.tokens, time.time)
    matches = MatchService(node, known, kept.results, kept.deals, archivist)

    def ended(booking: Booking) -> None:
        archivist.ended(booking)
        matches.ended(booking)

    node.hall.on_started, node.hall.on_ended = archivist.began, ended
    play, watch = PlayService(node, kept.tokens, __version__), WatchService(node, kept.tokens)
    server = Server(config.limits, [play.handler(), matches.handler(), watch.handler()])
    port = await server.start(config.host, config.port)
    works = (archivist.work(), archivist.keep_up(), _watch_tokens(node, kept.tokens, known))
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        yield RunningNode(f"{config.host}:{port}", node, archivist)
    finally:
        await _stop(config, node, server, matches, archivist)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        node.close()
        journal.close()


async def _stop(config: ServerConfig, node: Node, server: Server, matches: MatchService, archivist: Archivist) -> None:
    node.hall.is_closing = True
    await server.set_healthy(False)
    deadline = time.monotonic() + config.grace_s
    while node.hall.bookings and time.monotonic() < deadline:  # noqa: ASYNC110  a stop happens once
        await asyncio.sleep(0.05)
    await matches.drained()
    node.inbox.drain()
    node.hall.close(node.now())
    for session in list(node.sessions.values()):
        session.end("shutting_down", "the server stops")
    await archivist.drained()
    await server.stop(grace_s=1.0)


async def _watch_tokens(node: Node, tokens: Tokens, known: KnownTokens) -> None:
    """End the streams of tokens that have expired, or were revoked by whichever process, and know them no more."""
    seen = 0
    while True:
        await asyncio.sleep(TOKENS_S)
        now = time.time()
        for stream in _streams(node):
            if stream.expires_at is not None and stream.expires_at <= now:
                stream.end("token_expired", "the token has expired")
        try:
            revoked = await tokens.revoked_since(seen)
        except StoreError as fault:
            log.warning("revoked tokens cannot be looked up, trying again", fault=str(fault))
            known.forget()
            continue
        if revoked.handles:
            known.forget()
        seen = revoked.revision
        for stream in _streams(node):
            if stream.handle in revoked.handles:
                stream.end("token_revoked", "the token was revoked")


def _streams(node: Node) -> list[Session | Spectator]:
    return [*node.sessions.values(), *node.spectators]


def new_match_id() -> MatchId:
    """26 characters that sort by time: 48 bits of milliseconds, 80 random ones, in Crockford's base 32 (ULID)."""
    number = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    return MatchId("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))


def new_node_name(held: Hold) -> str:
    """Name a node's start: by time, as matches are, and by the number of the holder that it belongs to."""
    return f"{new_match_id()}-{held.number}"
