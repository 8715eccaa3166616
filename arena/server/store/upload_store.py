"""Stores the uploads of packages that have begun: a torn one goes on where it stopped."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from arena.bots.submissions.submission import UploadRow
from arena.errors import CapacityError
from arena.ids import new_id
from arena.plurals import format_count
from arena.server.store.database import StorePart, columns_of, read_value, reads, writes
from arena.server.store.tables import UPLOADS

MAX_UPLOADS: Final = 3
"""The most uploads of an owner at once."""
_U: Final = UPLOADS.c


class UploadStore(StorePart):
    @writes
    def begin(self, connection: Connection, owner: str, bot: str, sha256: str, byte_count: int) -> UploadRow:
        """Return the upload of an archive: the one that has begun, or else a new one.

        Raises CapacityError if the owner has too many.
        """
        row = UploadRow(new_id(self._now), owner, bot, sha256, byte_count, self._now())
        same = select(UPLOADS).where(_U.owner == owner, _U.bot == bot, _U.sha256 == sha256)
        begun = read_value(connection, same, UploadRow)
        if begun is not None and begun.byte_count == byte_count:
            return begun
        count = connection.scalar(select(func.count()).where(_U.owner == owner)) or 0
        if count >= MAX_UPLOADS:
            raise CapacityError(f"{owner!r} has {format_count(count, 'upload')} under way: finish one of them")
        connection.execute(insert(UPLOADS).values(columns_of(row)))
        return row

    @reads
    def find(self, connection: Connection, upload_id: str) -> UploadRow | None:
        return read_value(connection, select(UPLOADS).where(_U.upload_id == upload_id), UploadRow)

    @writes
    def end(self, connection: Connection, upload_id: str) -> None:
        """Forget an upload; do nothing if it is forgotten already."""
        connection.execute(delete(UPLOADS).where(_U.upload_id == upload_id))

    @writes
    def end_older(self, connection: Connection, age_s: float) -> Sequence[str]:
        """Forget the uploads that began longer ago than this, and return their ids."""
        old = _U.created_at < self._now() - age_s
        ids = connection.scalars(select(_U.upload_id).where(old)).all()
        connection.execute(delete(UPLOADS).where(old))
        return ids
