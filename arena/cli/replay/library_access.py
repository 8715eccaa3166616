"""Opens the data folder to read recorded games, even while a server uses it."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from arena.cli.store_access import data_folder
from arena.errors import RequestError
from arena.server.store.data_folder import JOURNALS_FOLDER
from arena.typed_command import arena_command

if TYPE_CHECKING:
    from arena.replays.library.library import Library

T = TypeVar("T")


def query_library(data: Path | None, ask: "Callable[[Library], Coroutine[Any, Any, T]]", reads_many: bool = False) -> T:
    """`reads_many` if the records of many matches are read. Raises RequestError if there is no data folder."""
    folder = data_folder(data)
    if not (folder / JOURNALS_FOLDER).is_dir():
        raise RequestError(f"there is no data folder at {str(folder)!r}: no server has run there")
    return asyncio.run(_open_and_query(folder, ask, reads_many))


def require_one_source(server: str, data: Path | None) -> None:
    """Raise RequestError if the user names both a server and a data folder as the source of matches."""
    if server and data is not None:
        raise RequestError("--server and --data both say where the matches are: give one of them")


def refuse_server(server: str, command: str) -> None:
    """Raise RequestError if a server is named for a command that needs the records of all seats."""
    if server:
        wanted = arena_command("replay", command)
        raise RequestError(f"{wanted} needs the data folder (--data): a server shows authors only their own seats")


async def _open_and_query(folder: Path, ask: "Callable[[Library], Coroutine[Any, Any, T]]", reads_many: bool) -> T:
    from arena.games.catalogue import games
    from arena.replays.library.library import Library
    from arena.replays.library.match_places import MatchPlaces
    from arena.server.store.data_folder import is_store
    from arena.server.store.open_store import open_store

    places = MatchPlaces() if reads_many else None
    if not is_store(folder):
        return await ask(Library(folder, None, games(), places))
    async with await open_store(folder) as store:
        return await ask(Library(folder, store, games(), places))
