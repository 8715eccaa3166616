"""A data folder, opened: results, tokens, and where journals and captured output go."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.errors import StoreError
from arena.store.data_folder import make_data_folder, make_private_file
from arena.store.database import Database
from arena.store.deal_store import SqlDealStore
from arena.store.folder_lock import FolderLock, acquire_folder_lock
from arena.store.league_store import SqlLeagueStore
from arena.store.result_store import SqlResultStore
from arena.store.token_store import TokenStore


@dataclass(frozen=True, slots=True)
class Store:
    """What an open data folder offers. Close it, or use it as an asynchronous context manager."""

    folder: Path
    results: SqlResultStore
    deals: SqlDealStore
    tokens: TokenStore
    leagues: SqlLeagueStore
    database: Database

    @property
    def journals_folder(self) -> Path:
        """Folder of the journal files."""
        return self.folder / "journals"

    @property
    def bot_output_folder(self) -> Path:
        """Folder of what launched bots wrote."""
        return self.folder / "bots"

    async def close(self) -> None:
        """Close every connection."""
        await self.database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def open_store(folder: Path, held: FolderLock | None = None) -> Store:
    """Open a data folder; make or migrate its database where that is needed.

    A server passes the hold that it has on the folder. Whoever only reads, or changes tokens, needs none. To make or
    migrate the database without one, it is held for that moment.

    Raises StoreVersionError when the store was made by a newer version, StoreHeldError when it must be migrated and
    another process holds it, StoreError when it cannot be used.
    """
    make_data_folder(folder)
    database = Database(folder / "arena.db")
    try:
        if not (database.path.exists() and await database.is_current()):
            with acquire_folder_lock(folder) if held is None else nullcontext():
                await _create_database(database)
    except BaseException:
        await database.close()
        raise
    return Store(
        folder,
        SqlResultStore(database),
        SqlDealStore(database),
        TokenStore(database),
        SqlLeagueStore(database),
        database,
    )


async def _create_database(database: Database) -> None:
    """Make the file, for this user alone, and all that is in it."""
    try:
        make_private_file(database.path)
    except OSError as error:
        raise StoreError(f"the store {database.path} cannot be made: {error.strerror}") from error
    await database.is_current()
    await database.migrate()
