"""`arena boxes`: builds, checks and runs the submitted bots of a server that another process or container runs."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def boxes(
    config: Annotated[Path | None, typer.Option(help="TOML file with the settings of the server.")] = None,
    listen: Annotated[
        list[str] | None,
        typer.Option(metavar="unix:PATH", help="The server's Unix socket. Default: bots.sock in the data folder."),
    ] = None,
    data: DataOption = None,
) -> int:
    """Build, check and run the submitted bots of a server, until stopped.

    For a server with `runs_boxes = false` in its `[submissions]`. It needs the same data folder and the same
    settings, and a network only if these name `package_indexes`. [docs/hosting.md](../docs/hosting.md#boxes) says
    which rights it needs. Exits with 77 if boxes do not hold on this machine.
    """
    from arena.bots.sandbox.probes.isolation_check import require_isolation
    from arena.cli.box_process import box_process_settings
    from arena.cli.signals import handle_stop_signals
    from arena.errors import RequestError
    from arena.fleet.submissions.box_process import run
    from arena.fleet.telemetry import set_up_logging
    from arena.server.config.read_config import read_config
    from arena.server.store.open_store import require_store

    settings = read_config(config, {"data": data, "listen": None if listen is None else tuple(listen)})
    if not settings.submissions.enabled:
        raise RequestError(
            "the server takes no submissions: [submissions] lacks `enabled = true` (--config names its settings)"
        )
    if settings.submissions.runs_boxes:
        raise RequestError("the server runs the boxes itself: [submissions] lacks `runs_boxes = false`")
    set_up_logging(settings.log_level)
    require_store(settings.data)
    require_isolation(settings.boxes)

    async def serve() -> None:
        stopped = asyncio.Event()
        with handle_stop_signals(stopped.set, lambda: None):
            await run(box_process_settings(settings), stopped, lambda: print("READY", flush=True))

    asyncio.run(serve())
    return ExitCode.YES
