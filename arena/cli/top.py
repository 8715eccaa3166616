"""`arena top`: shows how a server is doing, again and again."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption

if TYPE_CHECKING:
    from arena.server.node.server_status import ServerStatus
    from arena.server.rpc.status_client import StatusClient

app = typer.Typer(rich_markup_mode="markdown")

INTERVAL_S: Final = 1.0
"""Seconds between two looks."""
_NAME: Final = "top"
"""The name of the token that is made for one run of this command."""


@app.command()
def top(
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Server, as host:port, with an organizer's token in ARENA_TOKEN or its folder as --data. Default: the "
            "one that uses the data folder.",
        ),
    ] = "",
    data: Annotated[
        Path | None, typer.Option(help="Data folder of the server. Default: ARENA_DATA, or else arena-data.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Show the figures of one second, and exit.")] = False,
    json: JsonOption = False,
) -> int:
    """Watch how a server is doing: matches, sessions, decisions a second, stalls, pools and the slowest bots.

    On a terminal the figures are drawn again each second, until Ctrl-C. Without a terminal, or with --json, they are
    printed once.
    """
    asyncio.run(_watch(server, data, once or json or not sys.stdout.isatty(), json))
    return ExitCode.YES


async def _watch(server: str, data: Path | None, is_once: bool, is_json: bool) -> None:
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console
    from arena.cli.top_text import draw_status, status_as_dict

    async with _connect(server, data) as client:
        if is_once:
            earlier, now = await _read_two(client)
            if is_json:
                print_json(status_as_dict(earlier, now))
            else:
                stdout_console().print(draw_status(client.address, earlier, now))
            return
        from rich.live import Live

        now = await client.read()
        with Live(
            draw_status(client.address, now, now), console=stdout_console(), auto_refresh=False, screen=True
        ) as live:
            while True:
                await asyncio.sleep(INTERVAL_S)
                earlier, now = now, await client.read()
                live.update(draw_status(client.address, earlier, now), refresh=True)


async def _read_two(client: "StatusClient") -> "tuple[ServerStatus, ServerStatus]":
    """Return the figures before and after one second, from which rates follow."""
    earlier = await client.read()
    await asyncio.sleep(INTERVAL_S)
    return earlier, await client.read()


@asynccontextmanager
async def _connect(server: str, data: Path | None) -> "AsyncIterator[StatusClient]":
    """Connect as an organizer: with ARENA_TOKEN, or with a token that is made in the data folder and then revoked.

    Raises RequestError if no server is given and none uses the data folder, and DeniedError if there is no token.
    """
    from arena.errors import DeniedError, RequestError
    from arena.fleet.runner.host import TOKEN_VARIABLE, TemporaryTokens
    from arena.server.config.read_config import read_config
    from arena.server.rpc.client_channel import find_own_server
    from arena.server.rpc.listeners import split_address
    from arena.server.rpc.status_client import StatusClient
    from arena.server.store.account_values import Scope
    from arena.server.store.open_store import open_store, require_store
    from cheatarena.credentials import find_authority
    from cheatarena.tls_settings import TlsSettings

    token, folder = os.environ.get(TOKEN_VARIABLE, ""), read_config(flags={"data": data}).data
    if server:
        split_address("server", server)
        address, tls = server, replace(TlsSettings.from_environment(), ca=find_authority(server))
    else:
        address, tls = find_own_server(folder)
    if not address:
        raise RequestError(f"no server uses the data folder {str(folder)!r}: start one, or name one with --server")
    if token:
        async with StatusClient(address, token, tls) as client:
            yield client
        return
    if server and data is None:
        raise DeniedError(f"no token for {server}: set {TOKEN_VARIABLE}, or name the server's folder with --data")
    require_store(folder)
    async with await open_store(folder) as store:
        tokens = TemporaryTokens(store.tokens)
        try:
            async with StatusClient(address, await tokens.make(_NAME, Scope.ORGANIZE), tls) as client:
                yield client
        finally:
            await tokens.revoke()
