"""Calls a server as the owner whose token is in the credentials file."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from cheatarena.account import AccountClient
from cheatarena.credentials import find_authority
from cheatarena.credentials_file import CredentialsFile
from cheatarena.join import connection_settings
from cheatarena.settings import Settings

T = TypeVar("T")


def open_credentials(server: str) -> tuple[CredentialsFile, str]:
    """Return the credentials file and the chosen server in it; an empty choice means its only server.

    Raises SettingsError.
    """
    file = CredentialsFile.open()
    return file, file.choose_server(server)


def owner_settings(file: CredentialsFile, address: str) -> Settings:
    """Return settings to call a server of the file as its owner. Raises SettingsError."""
    return connection_settings(address, file.servers[address].owner_token, find_authority(address))


def call_as_owner(file: CredentialsFile, address: str, act: Callable[[AccountClient], Coroutine[Any, Any, T]]) -> T:
    """Connect to a server as the owner, make one call and return its result. Raises the SDK's errors."""

    async def work() -> T:
        async with AccountClient(owner_settings(file, address)) as client:
            return await act(client)

    return asyncio.run(work())
