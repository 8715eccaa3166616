"""The content hash of a package: SHA-256 over the paths, modes and bytes of its files, in the order of their paths.

How the files were packed, their times and their owners do not count.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_DOMAIN: Final = b"cheatarena package 1\0"


@dataclass(frozen=True, slots=True)
class HashedFile:
    """One file or link of a package, with the SHA-256 of its content; the content of a link is its target."""

    path: str
    mode: str
    """`file`, `program` for a file that can be executed, or `link`."""
    size: int
    """Bytes of the content."""
    digest: bytes


def hash_content(files: Iterable[HashedFile]) -> str:
    """Return the content hash in hex. The order of `files` does not count."""
    digest = hashlib.sha256(_DOMAIN)
    for file in sorted(files, key=lambda each: each.path.encode()):
        for part in (file.path.encode(), file.mode.encode(), file.digest):
            digest.update(len(part).to_bytes(4, "big") + part)
    return digest.hexdigest()
