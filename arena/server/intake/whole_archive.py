"""Hands in an archive that has arrived whole, as a form on a web page sends it."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from typing import IO, Final

from arena.bots.submissions.ports import UPLOAD
from arena.bots.submissions.submission import Submission
from arena.errors import UnknownNameError
from arena.server.intake.intake import Intake

_PIECE_BYTES: Final = 1 << 20
_ATTEMPTS: Final = 5
"""How often an upload is begun, because another stream has ended the one before it."""


async def hand_in(intake: Intake, owner: str, archive: IO[bytes]) -> Submission:
    """Hand in an archive, and return its submission. The bot is the one that the package names.

    Raises what `Intake` raises, and OSError if the archive cannot be read.
    """
    bot = await intake.find_bot(archive)
    sha256, byte_count = await asyncio.to_thread(_measure, archive)
    for attempt in range(1, _ATTEMPTS + 1):
        start = await intake.begin(owner, bot, sha256, byte_count)
        if start.submission is not None:
            return start.submission
        try:
            await intake.receive(owner, start.upload_id, start.offset, _read_pieces(archive, start.offset))
            return await intake.finish(owner, start.upload_id)
        except UnknownNameError as error:
            if error.kind != UPLOAD or attempt == _ATTEMPTS:
                raise  # otherwise somebody else has handed in the same archive meanwhile
    raise AssertionError("the last attempt returns or raises")


def _measure(archive: IO[bytes]) -> tuple[str, int]:
    """Return the SHA-256 of an archive in hex, and its size in bytes."""
    archive.seek(0)
    sha256 = hashlib.file_digest(archive, "sha256").hexdigest()  # type: ignore[arg-type]  # every binary file fits
    return sha256, archive.seek(0, os.SEEK_END)


async def _read_pieces(archive: IO[bytes], offset: int) -> AsyncIterator[bytes]:
    archive.seek(offset)
    while piece := await asyncio.to_thread(archive.read, _PIECE_BYTES):
        yield piece
