"""The file in which the bytes of one upload collect."""

import hashlib
import os
from pathlib import Path
from typing import Final

_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class UploadFile:
    """What has arrived of an archive. Every method raises OSError."""

    def __init__(self, folder: Path, upload_id: str) -> None:
        self.path = folder / f"{upload_id}.part"

    def size(self) -> int:
        """Return how many bytes have arrived."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, data: bytes) -> None:
        """Add bytes."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, _APPEND, 0o600), "ab") as file:
            file.write(data)

    def sync(self) -> str:
        """Write the file to the disk, and return its SHA-256 in hex."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
            return hashlib.file_digest(file, "sha256").hexdigest()

    def discard(self) -> None:
        """Remove the file; do nothing if there is none."""
        self.path.unlink(missing_ok=True)
