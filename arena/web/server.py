"""Serves the site: opens the data folder and the port, and ends cleanly."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import uvicorn

from arena.errors import PortBusyError
from arena.games.catalogue import games, pack_of, phrasing_of, watched_game_of
from arena.replays.library.match_places import MatchPlaces
from arena.server.config.site_settings import SiteSettings
from arena.server.guards.descriptors import raise_descriptor_limit
from arena.server.intake.server_intake import ServerIntake, open_own_submissions
from arena.server.node.event_loop import infrequent_gc
from arena.server.store.data_folder import idle_house_bots_of_holder, is_folder_locked, require_store
from arena.server.store.open_store import open_store
from arena.web.application import build_application
from arena.web.guards.bounded_protocol import bound_protocol
from arena.web.limits import UploadSlots, WebLimits
from arena.web.live.live_tables import LiveTables
from arena.web.live.server_streams import ServerStreams
from arena.web.notable import NotableGames
from arena.web.page_meter import PageMeter
from arena.web.pool_standings import PoolStandings
from arena.web.rendering import load_templates
from arena.web.session import count_logins
from arena.web.site import read_site
from arena.web.sources import Sources
from arena.web.workshop import Workshop

_GRACE_S: Final = 3
"""Seconds in which answers may end after a stop."""


class _Server(uvicorn.Server):
    """A server that says when it listens, and leaves signals to the command that runs it."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_site(
    folder: Path,
    listener: socket.socket,
    public_url: str,
    stop: asyncio.Event,
    on_ready: Callable[[], None],
    limits: WebLimits,
    site: SiteSettings | None,
    meter: PageMeter | None = None,
) -> None:
    """Serve the pages of a data folder until `stop` is set. `on_ready` is called when the port answers.

    Raises RequestError if there is no data folder, OptionError for wrong settings of the site, and StoreError if its
    store cannot be used.
    """
    require_store(folder)
    raise_descriptor_limit()
    async with await open_store(folder) as store:
        replays, reports, streams = Workshop(limits), Workshop(limits), ServerStreams(folder, store)
        sources = Sources(
            store=store,
            games=games(),
            phrasing_of=phrasing_of,
            watched_game_of=watched_game_of,
            columns_of=lambda game: pack_of(game).columns,
            is_running=lambda: is_folder_locked(folder),
            idle_house_bots=lambda: idle_house_bots_of_holder(folder),
            replays=replays,
            reports=reports,
            tables=LiveTables(streams.follow, store.results, limits),
            places=MatchPlaces(),
            site=read_site(site or SiteSettings(), public_url),
            notable=NotableGames(store, lambda game: pack_of(game).load_highlights(), time.monotonic),
            standings=PoolStandings(store, time.monotonic),
            clock=time.time,
            monotonic=time.monotonic,
            limits=limits,
            login_attempts=count_logins(limits, time.monotonic),
            own_submissions=open_own_submissions(store),
            find_intake=ServerIntake(store).find,
            uploads=UploadSlots(limits.uploads),
            public_url=public_url.rstrip("/"),
        )
        load_templates()
        server = _Server(_configure(sources, listener, limits, meter), on_ready)
        try:
            with infrequent_gc():  # a collection among all imported objects would hold up a page for 70 ms
                await _run(server, listener, stop, sources.tables)
        finally:
            await sources.notable.close()
            await streams.close()
            await asyncio.to_thread(replays.close)
            await asyncio.to_thread(reports.close)


def open_listener(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to a port; 0 is any free port. Raises PortBusyError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        with suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise PortBusyError(f"port {port} of {host} cannot be used: {error.strerror}") from error
    return listener


def _configure(sources: Sources, listener: socket.socket, limits: WebLimits, meter: PageMeter | None) -> uvicorn.Config:
    host = str(listener.getsockname()[0])
    return uvicorn.Config(
        build_application(sources, [host], meter=meter),
        http=bound_protocol(limits),
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(sources.public_url),
        forwarded_allow_ips=["127.0.0.1", "::1"],
        limit_concurrency=limits.connections,
        backlog=limits.connections,
        timeout_keep_alive=limits.keep_alive_s,
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=limits.header_bytes,
    )


async def _run(server: _Server, listener: socket.socket, stop: asyncio.Event, tables: LiveTables) -> None:
    serving = asyncio.create_task(server.serve([listener]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        await tables.close()
        server.should_exit = True
        stopping.cancel()
        await serving
