"""Joins everything into a server: store, journal, node, services. The one place where outer rooms meet."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import structlog

from arena import __version__
from arena.deal.stream import new_seed
from arena.errors import StoreError
from arena.match.booking import Booking
from arena.match.furnishing import Sources
from arena.match.ports import MatchId
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
from arena.store.journal_file import JournalFile
from arena.store.lock import hold
from arena.store.opening import Store, open_store
from arena.store.recovery import close_interrupted, open_left_deals
from arena.store.signing import open_receipt_key
from arena.store.synced_journal import SyncedJournal

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


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server at work."""

    address: str
    """host:port."""
    node: Node
    store: Store
    archivist: Archivist


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
    with hold(config.data) as held:
        async with await open_store(config.data, held) as store:
            signer = open_receipt_key(store.folder)
            await open_left_deals(store.deals, store.journals, games(), signer)
            await close_interrupted(store.results, store.journals, games())
            sources = Sources(new_match_id, lambda: new_seed(os.urandom), time.time, signer)
            name = new_match_id()
            journal = _JOURNALS[config.journal](store.journals / f"{name}.journal")
            log.info("journal opened", path=str(journal.path), journal=config.journal)
            node = Node(name, clock, selector, journal, sources, config.limits)
            archivist = Archivist(store.results, games(), f"{name}.journal", store.deals)
            matches = MatchService(node, store.tokens, store.results, store.deals, archivist)

            def ended(booking: Booking) -> None:
                archivist.ended(booking)
                matches.ended(booking)

            node.hall.on_started, node.hall.on_ended = archivist.began, ended
            server = Server(
                config.limits,
                [
                    PlayService(node, store.tokens, __version__).handler(),
                    matches.handler(),
                    WatchService(node, store.tokens).handler(),
                ],
            )
            port = await server.start(config.host, config.port)
            held.tell(f"{config.host}:{port}")
            tasks = [asyncio.ensure_future(archivist.work()), asyncio.ensure_future(_watch_tokens(node, store))]
            try:
                yield RunningServer(f"{config.host}:{port}", node, store, archivist)
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
    node.hall.close(node.now())
    for session in list(node.sessions.values()):
        session.end("shutting_down", "the server stops")
    await archivist.drained()
    await server.stop(grace_s=1.0)


async def _watch_tokens(node: Node, store: Store) -> None:
    """End the streams of tokens that have expired, or were revoked by whichever process."""
    seen = (await store.tokens.revoked_since(0)).revision
    while True:
        await asyncio.sleep(TOKENS_S)
        now = time.time()
        for stream in _streams(node):
            if stream.expires_at is not None and stream.expires_at <= now:
                stream.end("token_expired", "the token has expired")
        try:
            revoked = await store.tokens.revoked_since(seen)
        except StoreError as fault:
            log.warning("revoked tokens cannot be looked up, trying again", fault=str(fault))
            continue
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
