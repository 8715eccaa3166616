"""The file in which the bytes of one upload collect."""

import hashlib
import os
from pathlib import Path
from typing import Final

_APPEND: Final = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class UploadFile:
    """What has arrived of an archive. Every method raises OSError; all but `create`, FileNotFoundError if it has ended.

    Several streams may bring the same archive at once, in several processes. A byte that has arrived never changes, so
    the file is complete when all bytes are there, and the same from then on.
    """

    def __init__(self, folder: Path, upload_id: str) -> None:
        self.path = folder / f"{upload_id}.part"

    def create(self) -> None:
        """Make the file, empty, unless it is there."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, _APPEND | os.O_CREAT, 0o600))

    def size(self) -> int:
        """Return how many bytes have arrived."""
        return self.path.stat().st_size

    def write(self, data: bytes, offset: int) -> None:
        """Add the bytes from an offset on that have not arrived yet. The offset is not beyond the end of the file."""
        import fcntl  # noqa: PLC0415  there is none on Windows, which runs no submitted bots

        with os.fdopen(os.open(self.path, _APPEND), "ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            rest = memoryview(data)[max(0, os.fstat(file.fileno()).st_size - offset) :]
            while rest:
                rest = rest[file.write(rest) :]

    def sync(self) -> str:
        """Write the file to the disk, and return its SHA-256 in hex."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
            return hashlib.file_digest(file, "sha256").hexdigest()

    def discard(self) -> None:
        """Remove the file; do nothing if there is none."""
        self.path.unlink(missing_ok=True)
