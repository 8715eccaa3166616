"""Packs a folder: the same files always give the same archive, wherever and whenever they are packed."""

import gzip
import io
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from arena.errors import PackageRefusedError
from arena.launch.manifest import MANIFEST_NAME, read_manifest
from arena.packages.folder_reader import FolderReader, SourceFile
from arena.packages.package_check import Package
from arena.packages.path_rules import check_path
from arena.packages.rules import PackageLimits, Rule
from arena.packages.unpacking import PACKAGE_LIMITS, check_archive


def pack(folder: Path, archive: IO[bytes], limits: PackageLimits = PACKAGE_LIMITS) -> Package:
    """Write the package in a folder to an archive (tar.gz), and return the package.

    The archive, which can be read too, is checked as a server checks it, and then stands at its beginning.

    Raises PackageRefusedError if the package breaks a rule, what `read_manifest` raises, and OSError.
    """
    if not (folder / MANIFEST_NAME).is_file():
        raise PackageRefusedError(Rule.MANIFEST, f"the folder {folder} has no {MANIFEST_NAME}")
    has_build = bool(read_manifest(folder / MANIFEST_NAME).build)
    _write_archive(archive, FolderReader(folder, limits, has_build=has_build).read(), limits)
    archive.seek(0)
    package = check_archive(archive, limits)
    archive.seek(0)
    return package


def open_package(place: Path, limits: PackageLimits = PACKAGE_LIMITS) -> tuple[IO[bytes], Package]:
    """Return the archive of a package, open at its beginning, and the package. A folder is packed first.

    Raises what `pack` raises.
    """
    archive: IO[bytes] = tempfile.TemporaryFile() if place.is_dir() else place.open("rb")  # noqa: SIM115  it is returned
    try:
        if place.is_dir():
            return archive, pack(place, archive, limits)
        package = check_archive(archive, limits)
        archive.seek(0)
    except BaseException:
        archive.close()
        raise
    return archive, package


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
