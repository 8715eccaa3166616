"""Asks a server as the author of a bot: finds the token and connects as the SDK does."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from cheatarena.author import AuthorClient, OwnMatch
from cheatarena.settings import Settings

T = TypeVar("T")


def ask_server(server: str, ask: Callable[[AuthorClient], Coroutine[Any, Any, T]]) -> T:
    """Connect to a server, run one query and return the result.

    TLS is set up as for a bot: CHEATARENA_CA and the other variables of the SDK apply. Raises the SDK's errors.
    """
    return asyncio.run(_connect_and_ask(server, ask))


async def _connect_and_ask(server: str, ask: Callable[[AuthorClient], Coroutine[Any, Any, T]]) -> T:
    async with AuthorClient(bot_settings(server)) as author:
        return await ask(author)


def bot_settings(server: str, bot: str = "") -> Settings:
    """Return settings to call a server with the token of a bot.

    The token is in CHEATARENA_TOKEN or ARENA_TOKEN. If neither is set, or if `bot` is given, it is in the credentials
    file. Raises SettingsError.
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
    """Return settings to call a server with any token: as `bot_settings`, or else as the owner in the credentials file.

    Raises SettingsError.
    """
    from arena.cli.owner_calls import open_credentials, owner_settings

    if os.environ.get("CHEATARENA_TOKEN") or os.environ.get("ARENA_TOKEN"):
        return bot_settings(server)
    return owner_settings(*open_credentials(server or os.environ.get("CHEATARENA_ADDRESS", "")))


async def find_own_match(author: AuthorClient, prefix: str) -> str:
    """Return the full id of the bot's match whose id begins with `prefix`.

    Raises UnknownNameError if there is no such match, and RequestError if there are several.
    """
    from arena.errors import RequestError, UnknownNameError
    from arena.ids import ID_LENGTH

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
    """Return the bot's entrant with this name; None if no name is given. Raises UnknownNameError."""
    from arena.errors import UnknownNameError

    if name is None:
        return None
    own = {match.entrants[result.entrant]: result.entrant for result in match.results}
    if name not in own:
        raise UnknownNameError("own entrant", name, sorted(own))
    return own[name]


def own_match_as_dict(match: OwnMatch) -> dict[str, Any]:
    """Return plain values for JSON."""
    return {
        "match_id": match.match_id,
        "created_at": match.created_at.timestamp(),
        "game": match.game,
        "rules_version": match.rules_version,
        "preset": match.preset,
        "entrants": list(match.entrants),
        "games_finished": match.games_finished,
        "game_count": match.game_count,
        "state": match.termination if match.is_over else "running",
        "own": [
            {
                "entrant": result.entrant,
                "places": list(result.places),
                "points": result.points,
                "strikes": dict(result.strikes),
            }
            for result in match.results
        ],
    }
