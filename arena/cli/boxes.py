"""`arena boxes`: builds, checks and runs the submitted bots of a server that another process or container runs.

`arena serve` does the same in a process beside it. Nothing slow is imported for a server that takes no submissions.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.options import DataOption
from arena.cli.signals import handle_stop_signals
from arena.errors import RequestError
from arena.log_lines import get_logger

if TYPE_CHECKING:
    from arena.fleet.submissions.box_process import BoxProcessSettings
    from arena.server.config.server_config import ServerConfig

log = get_logger(__name__)

SOCKET_NAME: Final = "bots.sock"
"""The Unix socket in the data folder at which submitted bots reach the server, unless it listens at another one."""
STEP_PROCESS: Final = "arena.cli.step_process"
"""The process in which a submitted bot is checked and plays its trial games."""
app = typer.Typer(rich_markup_mode="markdown")


def add_bot_socket(settings: "ServerConfig") -> "ServerConfig":
    """Return the settings with a Unix socket for submitted bots, if the server takes any.

    If the server also runs them, raises IsolationError if boxes do not hold on this machine. To find that out takes a
    few seconds, so a line of the log says it.
    """
    if not settings.submissions.enabled:
        return settings
    if settings.submissions.runs_boxes:
        from arena.bots.sandbox.probes.isolation_check import require_isolation

        log.info("checking whether boxes hold on this machine, before the server begins")
        require_isolation(settings.boxes)
    socket = _bot_socket(settings)
    return settings if socket in settings.listen else replace(settings, listen=(*settings.listen, socket))


@asynccontextmanager
async def open_submitted_bots(settings: "ServerConfig") -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Yield what starts a process that builds, checks and runs submitted bots, if the server takes any.

    The process ends when the context is left. So the server has to be stopped inside: a bot that ends before the server
    would leave its seats, and lose the games that the next server continues.
    """
    async with AsyncExitStack() as stack:

        async def start() -> None:
            if settings.submissions.enabled and settings.submissions.runs_boxes:
                from arena.fleet.runner.keep_running import run_beside
                from arena.plain_data import to_plain

                told = json.dumps(to_plain(box_process_settings(settings)))
                await stack.enter_async_context(
                    run_beside("boxes", ("-m", "arena.fleet.submissions.box_process", told))
                )

        yield start


def box_process_settings(settings: "ServerConfig") -> "BoxProcessSettings":
    from arena.fleet.submissions.box_process import BoxProcessSettings

    return BoxProcessSettings(
        str(settings.data.absolute()), _bot_socket(settings), settings.boxes, settings.submissions, STEP_PROCESS
    )


def _bot_socket(settings: "ServerConfig") -> str:
    """Return the address of the first Unix socket that the settings name, or else of the one in the data folder."""
    from cheatarena.addresses import UNIX_PREFIX  # loads gRPC

    own = f"{UNIX_PREFIX}{settings.data.absolute() / SOCKET_NAME}"
    return next((address for address in settings.listen if address.startswith(UNIX_PREFIX)), own)


@app.command()
def boxes(
    config: Annotated[Path | None, typer.Option(help="TOML file with the settings of the server.")] = None,
    listen: Annotated[
        list[str] | None,
        typer.Option(metavar="unix:PATH", help="The server's Unix socket. Default: bots.sock in the data folder."),
    ] = None,
    data: DataOption = None,
) -> None:
    """For a server with `runs_boxes = false` in its `[submissions]`. It needs the same data folder and the same
    settings, and a network only if these name `package_indexes`. Which rights it needs says
    [docs/boxes.md](../docs/boxes.md#where-boxes-can-be-made). Exits with 77 if boxes do not hold on this machine.
    """
    from arena.bots.sandbox.probes.isolation_check import require_isolation
    from arena.fleet.submissions.box_process import run
    from arena.fleet.telemetry import set_up_logging
    from arena.server.config.read_config import read_config
    from arena.server.store.data_folder import require_store

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
