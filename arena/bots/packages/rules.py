"""The rules for packages, and their limits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arena.plurals import format_count

MEBIBYTE: Final = 1 << 20
_GIGABYTES_FROM: Final = 10 << 30


class Rule(StrEnum):
    """What a package is refused for. A PackageRefusedError names it."""

    TOO_MANY_FILES = "too_many_files"
    TOO_LARGE = "too_large"
    """The files are too large together, or the archive is."""
    PATH_LEAVES = "path_leaves"
    """A path is absolute, or has `..` in it."""
    LINK = "link"
    """A symbolic link or a hard link."""
    SPECIAL_FILE = "special_file"
    """A device, a pipe or a socket."""
    SPECIAL_MODE = "special_mode"
    """A file or folder is set-uid, set-gid or sticky."""
    NAME = "name"
    """A name has characters that are not shown, or letters of several scripts."""
    NAME_TOO_LONG = "name_too_long"
    """A name or path is too long, or a path has too many folders."""
    LOOK_ALIKE = "look_alike"
    """Two names in one folder differ in capitals alone, or look alike."""
    DUPLICATE = "duplicate"
    """Two entries of an archive have the same path, or a file is also a folder."""
    EXTENSION = "extension"
    """The archive uses an extension of tar, such as sparse files."""
    TRAILING_DATA = "trailing_data"
    """The archive goes on after its end."""
    DAMAGED = "damaged"
    """The file is no archive, or ends too early."""
    MANIFEST = "manifest"
    """`bot.toml` is missing or not valid."""


@dataclass(frozen=True, slots=True)
class PackageLimits:
    """How large a package may be, and whether its names are checked for readers."""

    files: int = 2_000
    """The most files and links."""
    unpacked_bytes: int = 64 * MEBIBYTE
    """The most bytes of all files together."""
    archive_bytes: int = 32 * MEBIBYTE
    path_bytes: int = 200
    name_bytes: int = 100
    """The most bytes of one part of a path."""
    depth: int = 16
    """The most parts of a path."""
    is_for_readers: bool = True
    """Whether names have to be readable and must not look alike. People read packages and do not read built results."""


BUILT_LIMITS: Final = PackageLimits(
    files=50_000,
    unpacked_bytes=512 * MEBIBYTE,
    archive_bytes=640 * MEBIBYTE,
    path_bytes=1_024,
    name_bytes=255,
    depth=64,
    is_for_readers=False,
)
"""The limits for the result of a build, which may contain everything that the bot imports."""


PACKING_ADVICE: Final = "submit the folder itself with `python -m cheatarena submit FOLDER`, which packs it"
"""What an author of a strange archive can do."""


def format_size(count: int) -> str:
    """Return a number of bytes for people.

    >>> [format_size(count) for count in (1, 99_999, 64 << 20, 1_600_000, 40 << 30)]
    ['1 byte', '99,999 bytes', '64 MB', '1.5 MB', '40 GB']
    """
    if count < MEBIBYTE // 10:
        return format_count(count, "byte", ",")
    unit, name = (MEBIBYTE, "MB") if count < _GIGABYTES_FROM else (MEBIBYTE << 10, "GB")
    return f"{count / unit:.1f}".removesuffix(".0") + f" {name}"
