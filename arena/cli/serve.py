"""`arena serve`: runs the server until it is stopped."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import print_status
from arena.cli.listening import ListeningFlags, setting_option
from arena.cli.option_groups import with_option_groups
from arena.cli.options import NewDataOption
from arena.cli.signals import handle_stop_signals

if TYPE_CHECKING:
    from arena.fleet.assembly.server import RunningServer
    from arena.server.config.server_config import ServerConfig
    from arena.server.node.event_loop import NodeClock, StampingSelector

app = typer.Typer(rich_markup_mode="markdown")


@dataclass(frozen=True, slots=True)
class ServerFlags(ListeningFlags):
    data: NewDataOption = None
    store: Annotated[str | None, setting_option("store", metavar="URL")] = None
    host: Annotated[str | None, setting_option("host")] = None
    port: Annotated[int | None, setting_option("port")] = None
    metrics_port: Annotated[int | None, setting_option("metrics_port")] = None
    web_metrics_port: Annotated[int | None, setting_option("web_metrics_port")] = None
    grace_s: Annotated[float | None, setting_option("grace_s", "--grace")] = None
    bot_return_s: Annotated[float | None, setting_option("bot_return_s", "--bot-return")] = None
    journal: Annotated[str | None, setting_option("journal")] = None
    web_port: Annotated[int | None, setting_option("web_port", "--web")] = None
    web_url: Annotated[str | None, setting_option("web_url", metavar="URL")] = None
    log_level: Annotated[str | None, setting_option("log_level")] = None


@app.command()
@with_option_groups
def serve(
    config: Annotated[Path | None, typer.Option(help="TOML file with these settings; options take precedence.")] = None,
    *,
    flags: ServerFlags,
) -> None:
    """Prints READY and the server's address when bots can connect. After the first SIGINT or SIGTERM the server accepts
    no new matches, and running matches may finish within the grace period. A second signal ends the grace period.
    Matches that are still unfinished continue when the server starts again. In all cases results are saved and the exit
    code is 0.
    """
    from arena.fleet.telemetry import set_up_logging
    from arena.server.config.read_config import read_config
    from arena.server.guards.stderr_filter import filter_stderr

    settings = read_config(config, asdict(flags))
    with filter_stderr(
        speaks_tls=settings.tls_cert is not None, set_up_logging=lambda: set_up_logging(settings.log_level)
    ):
        _run(settings, config)


def _run(settings: "ServerConfig", config: Path | None) -> None:
    from arena.cli.beside_server import add_own_listener, check_web_parts, choose_house_bots
    from arena.cli.boxes import add_bot_socket
    from arena.fleet.assembly.node import run_node_loop  # loads gRPC, which `filter_stderr` has to precede
    from arena.match.referee.interrupted_match import MAX_MATCH_AGE_US
    from arena.server.guards.descriptors import raise_descriptor_limit
    from arena.server.store.store_place import choose_place

    choose_place(settings.data, settings.store)
    if settings.web_port is not None:
        check_web_parts()
    settings = add_bot_socket(add_own_listener(choose_house_bots(settings)))
    raise_descriptor_limit()
    run_node_loop(lambda clock, selector: _serve_until_stopped(settings, config, clock, selector), MAX_MATCH_AGE_US)


async def _serve_until_stopped(
    settings: "ServerConfig", config: Path | None, clock: "NodeClock", selector: "StampingSelector"
) -> None:
    from arena.cli.beside_server import (
        fit_ratings,
        keep_house_bots,
        open_house_bots,
        open_leagues,
        pack_journals,
        run_pages,
    )
    from arena.cli.boxes import open_submitted_bots
    from arena.fleet.assembly.server import start_server
    from arena.server.node.background_work import run_in_background

    stopped = asyncio.Event()
    running: RunningServer | None = None

    def end_matches() -> None:
        if running is not None:
            running.node.inbox.drain()
            running.node.registry.close(running.node.now())

    with handle_stop_signals(stopped.set, end_matches):
        async with (
            open_house_bots(settings, clock) as (house_bots, sources, processes),
            open_leagues(settings, sources) as leagues,
            open_submitted_bots(settings) as start_submitted_bots,
            start_server(settings, clock, selector, processes=processes, resumes=True, leagues=leagues) as running,
            fit_ratings(settings),
            pack_journals(settings),
            run_pages(settings, config),
        ):
            await start_submitted_bots()
            async with (
                run_in_background(keep_house_bots(house_bots, running)),
                nullcontext() if leagues is None else leagues.serve(running),
            ):
                await _serve_until(stopped, settings, running)


async def _serve_until(stopped: asyncio.Event, settings: "ServerConfig", running: "RunningServer") -> None:
    with _serve_metrics(settings, running):
        for address in (*running.listening, *running.sockets):
            if address != running.public_address:
                print(f"LISTENING {address}", flush=True)
        print(f"READY {running.public_address}", flush=True)
        _warn_of_plaintext(settings, running.listening)
        await stopped.wait()


def _warn_of_plaintext(settings: "ServerConfig", addresses: Sequence[str]) -> None:
    """Say which addresses speak plaintext although there is a certificate: bots that use TLS cannot connect there."""
    from cheatarena.addresses import is_loopback_host, split_address

    if settings.tls_cert is None or settings.tls_on_loopback:
        return
    for address in addresses:
        if is_loopback_host(split_address(address)[0]):
            print_status(f"{address} speaks plaintext, because it is on loopback; --tls-on-loopback changes that")


def _serve_metrics(settings: "ServerConfig", running: "RunningServer") -> AbstractContextManager[None]:
    """Serve metrics to Prometheus if a port is set. Raises PortBusyError."""
    if settings.metrics_port is None:
        return nullcontext()
    from arena.cli.metrics_port import serve_metrics
    from arena.server.metrics import FolderMetrics, NodeMetrics, PoolMetrics, build_metrics_registry

    pools = [] if running.matchmaker is None else [PoolMetrics(running.matchmaker)]
    registry = build_metrics_registry(
        NodeMetrics(running.node), *pools, FolderMetrics(settings.data, settings.tls_cert)
    )
    return serve_metrics("METRICS", settings.host, settings.metrics_port, registry)
