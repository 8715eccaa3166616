"""Packs a folder: the same files always give the same archive, wherever and whenever they are packed."""

import gzip
import io
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from arena.bots.launch.manifest import MANIFEST_NAME, read_manifest
from arena.bots.packages.folder_reader import FolderReader, SourceFile, is_ignored
from arena.bots.packages.package_check import Package
from arena.bots.packages.path_rules import check_path
from arena.bots.packages.rules import PackageLimits, Rule
from arena.bots.packages.unpacking import PACKAGE_LIMITS, check_archive
from arena.errors import EnvironmentFaultError, PackageRefusedError, RequestError

SUFFIX: Final = ".tar.gz"


def pack(folder: Path, archive: IO[bytes], limits: PackageLimits = PACKAGE_LIMITS) -> Package:
    """Write the package in a folder to an archive (tar.gz), and return the package.

    The archive, which can be read too, is checked as a server checks it, and then stands at its beginning.

    Raises PackageRefusedError if the package breaks a rule, what `read_manifest` raises, and RequestError if there is
    no such folder or a file cannot be read.
    """
    try:
        if not folder.is_dir():
            raise RequestError(f"there is no folder {folder}")
        if not (folder / MANIFEST_NAME).is_file():
            raise PackageRefusedError(Rule.MANIFEST, f"there is no {MANIFEST_NAME} in the folder {folder}")
        has_build = bool(read_manifest(folder / MANIFEST_NAME).build)
        _write_archive(archive, FolderReader(folder, limits, has_build=has_build).read(), limits)
    except OSError as error:
        raise RequestError(f"{error.filename or folder} cannot be read: {error.strerror}") from error
    archive.seek(0)
    package = check_archive(archive, limits)
    archive.seek(0)
    return package


def write_package(folder: Path, output: Path | None = None) -> tuple[Path, Package]:
    """Write the package in a folder to a file, and return the file and the package. A refused package writes nothing.

    Without `output`, the file is NAME-VERSION.tar.gz in the working directory. Raises what `pack` raises, RequestError
    if the file would be a part of the next package, and EnvironmentFaultError if it cannot be written.
    """
    with tempfile.TemporaryFile() as archive:
        package = pack(folder, archive)
        place = output or Path(f"{package.manifest.name}-{package.manifest.version}{SUFFIX}")
        if _is_packed(place, folder, has_build=bool(package.manifest.build)):
            raise RequestError(f"{place} would be in the next package of {folder}: name an --output outside of it")
        try:
            place.write_bytes(archive.read())
        except OSError as error:
            raise EnvironmentFaultError(f"{place} cannot be written: {error.strerror}") from error
    return place, package


def open_package(place: Path) -> tuple[IO[bytes], Package]:
    """Return the archive of a package, open at its beginning, and the package. `place` is a folder or an archive.

    Raises what `pack` raises.
    """
    if place.exists() and not (place.is_dir() or place.is_file()):  # a pipe would wait for its writer
        raise RequestError(f"{place} is neither the folder of a bot nor an archive")
    try:
        archive: IO[bytes] = tempfile.TemporaryFile() if place.is_dir() else place.open("rb")  # noqa: SIM115  returned
    except OSError as error:
        raise RequestError(f"{place} cannot be read: {error.strerror}") from error
    try:
        package = pack(place, archive) if place.is_dir() else check_archive(archive)
        archive.seek(0)
    except BaseException as error:
        archive.close()
        if isinstance(error, PackageRefusedError) and error.rule is Rule.DAMAGED and not place.is_dir():
            wanted = "expected the folder of a bot, or an archive of one"
            raise PackageRefusedError(error.rule, f"{place}: {error}; {wanted}") from error
        raise
    return archive, package


def _is_packed(place: Path, folder: Path, *, has_build: bool) -> bool:
    """Return whether a file is a part of the package in a folder."""
    path, top = place.resolve(), folder.resolve()
    return path.is_relative_to(top) and not is_ignored(path.relative_to(top).parts, has_build=has_build)


def _write_archive(archive: IO[bytes], files: Iterable[SourceFile], limits: PackageLimits) -> None:
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=archive, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as tar,
    ):
        for each in files:
            check_path(each.path, limits)  # first, because tarfile cannot write every name
            entry = tarfile.TarInfo(each.path)
            entry.size, entry.mode = len(each.content), 0o755 if each.is_program else 0o644
            tar.addfile(entry, io.BytesIO(each.content))
