"""Stores which uploads of packages have begun, so that a torn upload goes on where it stopped."""

import time
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, delete, func, insert, select

from arena.bots.submissions.submission_rows import UploadRow
from arena.errors import CapacityError
from arena.ids import new_id
from arena.plurals import format_count
from arena.server.store.database import Database, shield_from_cancel
from arena.server.store.rows import columns_of, value_from_row
from arena.server.store.tables import UPLOADS

MAX_UPLOADS = 3
"""The most uploads of an owner at once."""
_C = UPLOADS.c


class UploadStore:
    """Stores uploads in progress. Every call raises StoreError if the store cannot be used."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        """`now` returns seconds since 1970."""
        self._database = database
        self._now = now

    @shield_from_cancel
    async def begin(self, owner: str, bot: str, sha256: str, byte_count: int) -> UploadRow:
        """Return the upload of an archive: the one that has begun, or else a new one.

        Raises CapacityError if the owner has too many.
        """
        row = UploadRow(new_id(self._now), owner, bot, sha256, byte_count, self._now())
        same = select(UPLOADS).where(_C.owner == owner, _C.bot == bot, _C.sha256 == sha256)

        def do(connection: Connection) -> UploadRow:
            begun = connection.execute(same).one_or_none()
            if begun is not None and begun.byte_count == byte_count:
                return value_from_row(begun, UploadRow)
            count = connection.scalar(select(func.count()).where(_C.owner == owner)) or 0
            if count >= MAX_UPLOADS:
                raise CapacityError(f"{owner!r} has {format_count(count, 'upload')} under way: finish one of them")
            connection.execute(insert(UPLOADS).values(columns_of(row)))
            return row

        return await self._database.write(do)

    @shield_from_cancel
    async def find(self, upload_id: str) -> UploadRow | None:
        """Return an upload; None if there is none with this id."""
        wanted = select(UPLOADS).where(_C.upload_id == upload_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).one_or_none())
        return None if row is None else value_from_row(row, UploadRow)

    @shield_from_cancel
    async def end(self, upload_id: str) -> None:
        """Forget an upload; do nothing if it is forgotten already."""
        gone = delete(UPLOADS).where(_C.upload_id == upload_id)
        await self._database.write(lambda connection: connection.execute(gone))

    @shield_from_cancel
    async def end_older(self, age_s: float) -> Sequence[str]:
        """Forget the uploads that began longer ago than this, and return their ids."""
        old = _C.created_at < self._now() - age_s

        def do(connection: Connection) -> Sequence[str]:
            ids = connection.scalars(select(_C.upload_id).where(old)).all()
            connection.execute(delete(UPLOADS).where(old))
            return ids

        return await self._database.write(do)
