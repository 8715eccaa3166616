"""Packs the folder of a bot: the same files always give the same archive, wherever and whenever they are packed.

The server checks the package, its names and its manifest. Here only what the archive could not tell it is refused.
"""

import gzip
import io
import tarfile
import tempfile
import tomllib
import unicodedata
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from cheatarena.errors import PackageError, RequestError
from cheatarena.folder_reader import MOST_BYTES, MOST_FILES, FolderReader, SourceFile

MANIFEST_NAME: Final = "bot.toml"
MAX_MANIFEST_BYTES: Final = 64 * 1024
EXPECTED_PACKAGE: Final = "expected the folder of a bot, or an archive of one"


@dataclass(frozen=True, slots=True)
class PackedBot:
    """What the manifest of a package says about the bot that is submitted."""

    name: str
    version: str
    has_pools: bool
    """Whether it names pools to play in."""
    has_build: bool = False
    """Whether it has a build command."""


def open_archive(place: Path, pack: Callable[[Path, IO[bytes]], object]) -> IO[bytes]:
    """Return the archive of a package, open at its beginning. `place` is an archive, or a folder, which `pack` packs.

    Raises RequestError if it cannot be read, and what `pack` raises.
    """
    if place.exists() and not (place.is_dir() or place.is_file()):  # a pipe would wait for its writer
        raise RequestError(f"{place} is neither the folder of a bot nor an archive")
    try:
        archive: IO[bytes] = tempfile.TemporaryFile() if place.is_dir() else place.open("rb")  # noqa: SIM115  returned
    except OSError as error:
        raise RequestError(f"{place} cannot be read: {error.strerror}") from error
    try:
        if place.is_dir():
            pack(place, archive)
        archive.seek(0)
    except BaseException:
        archive.close()
        raise
    return archive


def pack_folder(folder: Path, archive: IO[bytes]) -> None:
    """Write the package in a folder to an archive (tar.gz).

    Raises PackageError if the folder breaks a rule, and RequestError if it cannot be read or its manifest says nothing
    that can be read.
    """
    try:
        manifest = folder / MANIFEST_NAME
        if not manifest.is_file():
            raise PackageError("manifest", f"there is no {MANIFEST_NAME} in the folder {folder}")
        bot = parse_manifest(manifest.read_bytes(), str(manifest))
        write_archive(archive, FolderReader(folder, MOST_FILES, MOST_BYTES, has_build=bot.has_build).read(), check_utf8)
    except OSError as error:
        raise RequestError(f"{error.filename or folder} cannot be read: {error.strerror}") from error


def write_archive(archive: IO[bytes], files: Iterable[SourceFile], check_path: Callable[[str], object]) -> None:
    """Write files to an archive (tar.gz). `check_path` raises for a path that no package may have."""
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=archive, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar,
    ):
        for each in files:
            check_path(each.path)  # first, because tarfile cannot write every name
            entry = tarfile.TarInfo(each.path)
            entry.size, entry.mode = len(each.content), 0o755 if each.is_program else 0o644
            tar.addfile(entry, io.BytesIO(each.content))


def check_utf8(path: str) -> None:
    """Raise PackageError unless the path is UTF-8. A file system may have any bytes."""
    encoded = path.encode(errors="surrogateescape")
    if encoded != path.encode(errors="replace"):
        raise PackageError("name", f"the path {encoded!r} is not UTF-8")


def read_packed_bot(archive: IO[bytes], label: str) -> PackedBot:
    """Return what the manifest in an archive says, and leave the archive at its beginning. Errors call it `label`.

    Raises PackageError if it is no archive of a package, and RequestError as `parse_manifest` does.
    """
    try:
        with tarfile.open(fileobj=archive, mode="r:*") as tar:
            files = (tar.extractfile(each) for each in tar if each.name.removeprefix("./") == MANIFEST_NAME)
            data = next((file.read(MAX_MANIFEST_BYTES + 1) for file in files if file is not None), None)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise PackageError("damaged", f"{label}: this is no archive, or it is damaged; {EXPECTED_PACKAGE}") from error
    if data is None:
        raise PackageError("manifest", f"{label}: the package has no {MANIFEST_NAME} at its top")
    archive.seek(0)
    return parse_manifest(data, MANIFEST_NAME)


def parse_manifest(data: bytes, label: str) -> PackedBot:
    """Return what a manifest says. Errors call it `label`. Raises RequestError if it cannot be read or names no bot."""
    if len(data) > MAX_MANIFEST_BYTES:
        raise RequestError(f"{label} is larger than {MAX_MANIFEST_BYTES} bytes")
    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise RequestError(f"cannot read {label!r}: expected TOML ({error})") from error
    for key in ("name", "version"):
        value = values.get(key)
        if not isinstance(value, str) or not value:
            fault = "is missing" if value is None else f"is {value!r}"
            raise RequestError(f"{label}: `{key}` {fault}: expected a text in quotes")
    name = unicodedata.normalize("NFKC", values["name"])  # as the server does
    return PackedBot(name, values["version"], bool(values.get("pools")), bool(values.get("build")))
