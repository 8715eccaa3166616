"""Opens a data folder: its stores, and the folders of journals and of the bots' output."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import URL

from arena.errors import StoreError
from arena.server.store.bans import BanStore
from arena.server.store.data_folder import (
    JOURNALS_FOLDER,
    FolderLock,
    acquire_folder_lock,
    make_data_folder,
    make_private_file,
)
from arena.server.store.database import Database
from arena.server.store.deal_store import SqlDealStore
from arena.server.store.engines import Place
from arena.server.store.invitation_store import InvitationStore
from arena.server.store.league_store import SqlLeagueStore
from arena.server.store.login_store import LoginStore
from arena.server.store.owner_store import OwnerStore
from arena.server.store.personal_data import PersonalDataStore
from arena.server.store.pool_store import SqlPoolStore
from arena.server.store.profile_store import ProfileStore
from arena.server.store.result_store import SqlResultStore
from arena.server.store.store_place import find_place
from arena.server.store.submission_store import SubmissionStore
from arena.server.store.token_store import TokenStore
from arena.server.store.upload_store import UploadStore


@dataclass(frozen=True, slots=True)
class Store:
    """An open data folder. Close it, or use it as an asynchronous context manager."""

    folder: Path
    results: SqlResultStore
    deals: SqlDealStore
    tokens: TokenStore
    owners: OwnerStore
    profiles: ProfileStore
    personal: PersonalDataStore
    bans: BanStore
    invitations: InvitationStore
    logins: LoginStore
    leagues: SqlLeagueStore
    pools: SqlPoolStore
    submissions: SubmissionStore
    uploads: UploadStore
    database: Database

    @property
    def journals_folder(self) -> Path:
        return self.folder / JOURNALS_FOLDER

    @property
    def submissions_folder(self) -> Path:
        """Folder of submitted packages, of their built results and of uploads in progress."""
        return self.folder / "submissions"

    @property
    def bot_output_folder(self) -> Path:
        return self.folder / "bots"

    async def close(self) -> None:
        await self.database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def open_store(folder: Path, held: FolderLock | None = None) -> Store:
    """Open a data folder; create or migrate its database if needed.

    A server passes its lock on the folder. Callers that only read, or that write beside a server, need no lock. If no
    lock is passed, the folder is locked only while its database is created or migrated. The database is in the folder,
    or where the note of `store_place` says; then a server holds it too (`store_lease`).

    Raises StoreVersionError if the store was made by a newer version or by no release, and StoreError if it
    cannot be used. Raises StoreLockedError if it must be migrated while another process has locked it, and if another
    server holds it. Raises NotInstalledError if what PostgreSQL needs is not installed.
    """
    make_data_folder(folder)
    place = find_place(folder)
    database = Database(place)
    try:
        is_current = (isinstance(place, URL) or place.exists()) and await database.is_current()
        if not is_current:
            with acquire_folder_lock(folder) if held is None else nullcontext():
                await _create_database(database, place)
        if isinstance(place, URL):
            await database.take_lease(folder) if held is not None else database.follow_lease(folder)
    except BaseException:
        await database.close()
        raise
    return Store(
        folder,
        SqlResultStore(database),
        SqlDealStore(database),
        TokenStore(database),
        OwnerStore(database),
        ProfileStore(database),
        PersonalDataStore(database),
        BanStore(database),
        InvitationStore(database),
        LoginStore(database),
        SqlLeagueStore(database),
        SqlPoolStore(database),
        SubmissionStore(database),
        UploadStore(database),
        database,
    )


async def _create_database(database: Database, place: Place) -> None:
    """Create the database file, accessible only to this user, and its schema; of PostgreSQL only the schema."""
    try:
        if isinstance(place, Path):
            make_private_file(place)
    except OSError as error:
        raise StoreError(f"cannot create the store {place}: {error.strerror}") from error
    await database.is_current()
    await database.migrate()
