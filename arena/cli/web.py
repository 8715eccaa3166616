"""`arena web`: shows the pools, matches, replays and leagues of a data folder in a browser."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.options import DataOption
from arena.cli.signals import handle_stop_signals
from arena.cli.store_access import data_folder
from arena.errors import OptionError

if TYPE_CHECKING:
    from arena.server.config.site_settings import SiteSettings
    from arena.web.page_meter import PageMeter

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def web(
    data: DataOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on. Default: 0, any free one.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    public_url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Address of the site as its readers type it, such as https://arena.example. Needed off loopback.",
        ),
    ] = "",
    people_an_address: Annotated[
        int,
        typer.Option(min=1, max=10_000, help="People who may share one address; limits of an address count for each."),
    ] = 1,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of the server. Of it, the table [site] counts: name, logo, imprint.")
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Port for Prometheus on loopback; 0 for any free one. Default: no metrics."
        ),
    ] = None,
    with_server: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Prints WEB and the address when the pages can be read. They show only what everybody may know: nothing of the
    cards of a match that runs. Owners who log in also see what their own bots knew, and submit bots. The pages speak
    HTTP; for readers elsewhere, put a proxy with TLS in front (docs/web.md).
    """
    from arena.cli.beside_server import check_web_parts
    from arena.fleet.telemetry import set_up_logging
    from arena.server.config.read_config import read_config
    from arena.server.config.server_config import check_site_url
    from cheatarena.addresses import is_loopback_host

    check_web_parts()
    site = read_config(config).site
    check_site_url("public_url", public_url)
    if not (public_url or is_loopback_host(host)):
        raise OptionError("host", host, "off loopback, give --public-url, the address that readers type")
    folder = data_folder(data)
    set_up_logging("warning")
    with _measure_pages(metrics_port) as meter:
        asyncio.run(
            _serve_until_stopped(
                folder, host, port, public_url, people_an_address, site, meter, with_server=with_server
            )
        )


@contextmanager
def _measure_pages(metrics_port: int | None) -> Iterator["PageMeter | None"]:
    """Serve metrics of the pages if a port is set, and yield what measures them. Raises PortBusyError."""
    if metrics_port is None:
        yield None
        return
    from arena.cli.metrics_port import serve_metrics
    from arena.server.metrics import build_metrics_registry
    from arena.web.page_meter import PageMeter

    registry = build_metrics_registry()
    with serve_metrics("WEB-METRICS", "127.0.0.1", metrics_port, registry):
        yield PageMeter(registry)


async def _serve_until_stopped(
    folder: Path,
    host: str,
    port: int,
    public_url: str,
    people: int,
    site: "SiteSettings",
    meter: "PageMeter | None",
    *,
    with_server: bool,
) -> None:
    """Serve until a stop signal arrives or, with a server, until the server is gone."""
    from arena.fleet.runner.keep_running import follow_server
    from arena.server.rpc.listeners import join_address
    from arena.web.limits import WebLimits
    from arena.web.server import open_listener, serve_site

    stop = asyncio.Event()
    with open_listener(host, port) as listener, handle_stop_signals(stop.set):
        if with_server:
            follow_server(stop)
        address = f"http://{join_address(host, listener.getsockname()[1])}"
        limits = WebLimits().for_people(people)

        def tell() -> None:
            print(f"WEB {address}", flush=True)

        await serve_site(folder, listener, public_url, stop, tell, limits, site, meter)
