"""Asks a server as the author of a bot, or as its owner: finds the token and connects as the SDK does."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from arena.errors import RequestError, UnknownNameError
from arena.ids import ID_LENGTH
from arena.plain_data import take_fields
from cheatarena.account import AccountClient
from cheatarena.author import AuthorClient, OwnMatch
from cheatarena.credentials import find_authority
from cheatarena.credentials_file import CredentialsFile
from cheatarena.join import connection_settings
from cheatarena.settings import Settings

T = TypeVar("T")


def ask_server(server: str, ask: Callable[[AuthorClient], Coroutine[Any, Any, T]]) -> T:
    """TLS is set up as for a bot: CHEATARENA_CA and the other variables of the SDK apply. Raises the SDK's errors."""
    return asyncio.run(_connect_and_ask(server, ask))


async def _connect_and_ask(server: str, ask: Callable[[AuthorClient], Coroutine[Any, Any, T]]) -> T:
    async with AuthorClient(bot_settings(server)) as author:
        return await ask(author)


def bot_settings(server: str, bot: str = "") -> Settings:
    """The token is in CHEATARENA_TOKEN or ARENA_TOKEN; if neither is set, or `bot` is given, in the credentials file.

    Raises SettingsError.
    """
    given = {**os.environ}
    if server:
        given["CHEATARENA_ADDRESS"] = server
    if bot:
        given |= {"CHEATARENA_BOT": bot, "CHEATARENA_TOKEN": ""}
    elif not given.get("CHEATARENA_TOKEN") and (token := given.get("ARENA_TOKEN")):
        given["CHEATARENA_TOKEN"] = token
    return Settings.from_environment(given)


def any_settings(server: str) -> Settings:
    """The token is that of `bot_settings`, or else the owner's in the credentials file. Raises SettingsError."""
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
    """Raises SettingsError."""
    return connection_settings(address, file.servers[address].owner_token, find_authority(address))


def call_as_owner(file: CredentialsFile, address: str, act: Callable[[AccountClient], Coroutine[Any, Any, T]]) -> T:
    """Raises the SDK's errors."""

    async def work() -> T:
        async with AccountClient(owner_settings(file, address)) as client:
            return await act(client)

    return asyncio.run(work())


async def find_own_match(author: AuthorClient, prefix: str) -> str:
    """Return the full id. Raises UnknownNameError if no match has the prefix, and RequestError if several have it."""
    prefix = prefix.strip().upper()
    if len(prefix) == ID_LENGTH:
        return prefix
    found = [match.match_id async for match in author.matches() if prefix and match.match_id.startswith(prefix)]
    if not found:
        raise UnknownNameError("match", prefix)
    if len(found) > 1:
        raise RequestError(f"several matches begin with {prefix!r}, such as {found[0]} and {found[1]}")
    return found[0]


def find_own_entrant(match: OwnMatch, name: str | None) -> int | None:
    """Return None if no name is given. Raises UnknownNameError."""
    if name is None:
        return None
    own = {match.entrants[result.entrant]: result.entrant for result in match.results}
    if name not in own:
        raise UnknownNameError("entrant of yours", name, sorted(own))
    return own[name]


def own_match_as_dict(match: OwnMatch) -> dict[str, Any]:
    return {
        "match_id": match.match_id,
        "created_at": match.created_at.timestamp(),
        **take_fields(match, "game", "rules_version", "preset", "entrants", "games_finished", "game_count"),
        "state": match.termination if match.is_over else "running",
        "own": [
            take_fields(result, "entrant", "places", "points") | {"strikes": dict(result.strikes)}
            for result in match.results
        ],
    }
