"""Asks a server as the author of a bot, or as its owner: finds the token and connects as a bot does."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from cheatarena.account import AccountClient
from cheatarena.author import AuthorClient, OwnMatch
from cheatarena.credentials import find_authority
from cheatarena.credentials_file import CredentialsFile
from cheatarena.errors import RequestError
from cheatarena.join import connection_settings
from cheatarena.settings import Settings

T = TypeVar("T")

ID_LENGTH: Final = 26
"""Characters of a match's id, which is a ULID."""


def ask_server(settings: Settings, ask: Callable[[AuthorClient], Coroutine[Any, Any, T]]) -> T:
    """Return what `ask` finds out as the author of a bot."""

    async def work() -> T:
        async with AuthorClient(settings) as author:
            return await ask(author)

    return asyncio.run(work())


def bot_settings(server: str, bot: str = "", *, only_reads: bool = False) -> Settings:
    """Return the settings of a bot at `server`; the environment chooses what is empty.

    The token is in CHEATARENA_TOKEN or ARENA_TOKEN; if neither is set, or `bot` is given, in the credentials file. With
    `only_reads`, the owner's does for a bot that is not in the file. Raises SettingsError.
    """
    given = {**os.environ}
    if server:
        given["CHEATARENA_ADDRESS"] = server
    if bot:
        given |= {"CHEATARENA_BOT": bot, "CHEATARENA_TOKEN": ""}
    elif not given.get("CHEATARENA_TOKEN") and (token := given.get("ARENA_TOKEN")):
        given["CHEATARENA_TOKEN"] = token
    return Settings.from_environment(given, only_reads=only_reads)


def any_settings(server: str) -> Settings:
    """Return settings with the token of `bot_settings`, or else the owner's in the credentials file.

    Raises SettingsError.
    """
    if os.environ.get("CHEATARENA_TOKEN") or os.environ.get("ARENA_TOKEN"):
        return bot_settings(server)
    return owner_settings(*open_credentials(server or os.environ.get("CHEATARENA_ADDRESS", "")))


def open_credentials(server: str) -> tuple[CredentialsFile, str]:
    """Return the credentials file and the chosen server in it; an empty choice means its only server.

    Raises SettingsError.
    """
    file = CredentialsFile.open()
    return file, file.choose_server(server)


def owner_settings(file: CredentialsFile, address: str) -> Settings:
    """Return settings with the owner's token at a server. Raises SettingsError."""
    return connection_settings(address, file.servers[address].owner_token, find_authority(address))


def call_as_owner(file: CredentialsFile, address: str, act: Callable[[AccountClient], Coroutine[Any, Any, T]]) -> T:
    """Return what `act` does or finds out as the owner of bots."""

    async def work() -> T:
        async with AccountClient(owner_settings(file, address)) as client:
            return await act(client)

    return asyncio.run(work())


async def find_own_match(author: AuthorClient, prefix: str) -> str:
    """Return the full id of the bot's match. Raises RequestError unless exactly one match has the prefix."""
    prefix = prefix.strip().upper()
    if len(prefix) == ID_LENGTH:
        return prefix
    found = [match.match_id async for match in author.matches() if prefix and match.match_id.startswith(prefix)]
    if not found:
        raise RequestError(f"unknown match {prefix!r}")
    if len(found) > 1:
        raise RequestError(f"several matches begin with {prefix!r}, such as {found[0]} and {found[1]}")
    return found[0]


async def find_own_seat(author: AuthorClient, prefix: str, name: str | None) -> tuple[str, int | None]:
    """Return the full id of the bot's match, and the index of its entrant `name`; None if no name is given.

    Raises RequestError if there is no such match or entrant.
    """
    match_id = await find_own_match(author, prefix)
    return match_id, None if name is None else _find_own_entrant(await author.match(match_id), name)


def _find_own_entrant(match: OwnMatch, name: str) -> int:
    own = {match.entrants[result.entrant]: result.entrant for result in match.results}
    if name in own:
        return own[name]
    similar = get_close_matches(name, own, n=1)
    hint = f"; did you mean {similar[0]}?" if similar else ""
    raise RequestError(f"unknown entrant of yours {name!r}; known: {', '.join(sorted(own))}{hint}")
