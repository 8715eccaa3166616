"""Connects a command as an organizer: with ARENA_TOKEN, or with a token made in the server's data folder."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from arena.cli.store_access import data_folder
from arena.errors import DeniedError, RequestError

if TYPE_CHECKING:
    from arena.server.rpc.client_channel import ServiceClient

Client = TypeVar("Client", bound="ServiceClient")

OrganizerServerOption = Annotated[
    str,
    typer.Option(
        "--server",
        metavar="ADDRESS",
        help="Server, as host:port, with an organizer's token in ARENA_TOKEN or its folder as --data.",
    ),
]


@asynccontextmanager
async def connect_organizer(
    kind: type[Client], server: str, data: Path | None, token_name: str
) -> AsyncIterator[Client]:
    """Connect a client of this kind; without `server`, to the one that uses the data folder.

    A token that is made has the name `token_name`, and is revoked on exit. Raises RequestError if no server is given
    and none uses the data folder, and DeniedError if there is no token.
    """
    from arena.fleet.runner.host import TOKEN_VARIABLE, TemporaryTokens
    from arena.server.rpc.client_channel import find_own_server
    from arena.server.rpc.listeners import split_address
    from arena.server.store.account_values import Scope
    from arena.server.store.data_folder import require_store
    from arena.server.store.open_store import open_store
    from cheatarena.credentials import find_authority
    from cheatarena.tls_settings import TlsSettings

    token, folder = os.environ.get(TOKEN_VARIABLE, ""), data_folder(data)
    if server:
        split_address("server", server)
        address, tls = server, replace(TlsSettings.from_environment(), ca=find_authority(server))
    else:
        address, tls = find_own_server(folder)
    if not address:
        raise RequestError(f"no server uses the data folder {str(folder)!r}: start one, or name one with --server")
    if token:
        async with kind(address, token, tls) as client:
            yield client
        return
    if server and data is None:
        raise DeniedError(f"no token for {server}: set {TOKEN_VARIABLE}, or name the server's folder with --data")
    require_store(folder)
    async with await open_store(folder) as store:
        tokens = TemporaryTokens(store.tokens)
        try:
            async with kind(address, await tokens.make(token_name, Scope.ORGANIZE), tls) as client:
                yield client
        finally:
            await tokens.revoke_all()
