"""Packs a folder as the SDK does, and checks the package as a server does."""

import tempfile
from pathlib import Path
from typing import IO, Final

from arena.bots.launch.manifest import MANIFEST_NAME, read_manifest
from arena.bots.packages.package_check import Package
from arena.bots.packages.path_rules import check_path
from arena.bots.packages.rules import PackageLimits, Rule
from arena.bots.packages.unpacking import PACKAGE_LIMITS, check_archive
from arena.errors import EnvironmentFaultError, PackageRefusedError, RequestError
from cheatarena.errors import PackageError
from cheatarena.folder_reader import FolderReader, is_ignored
from cheatarena.packing import EXPECTED_PACKAGE, open_archive, write_archive

SUFFIX: Final = ".tar.gz"


def pack(folder: Path, archive: IO[bytes], limits: PackageLimits = PACKAGE_LIMITS) -> Package:
    """Write the package in a folder to an archive (tar.gz), and return the package.

    The archive, which can be read too, is checked as a server checks it, and then stands at its beginning.

    Raises PackageRefusedError if the package breaks a rule, what `read_manifest` raises, and RequestError if there is
    no such folder or a file cannot be read.
    """
    _write(folder, archive, limits)
    archive.seek(0)
    package = check_archive(archive, limits)
    archive.seek(0)
    return package


def _write(folder: Path, archive: IO[bytes], limits: PackageLimits = PACKAGE_LIMITS) -> None:
    try:
        if not folder.is_dir():
            raise RequestError(f"there is no folder {folder}")
        if not (folder / MANIFEST_NAME).is_file():
            raise PackageRefusedError(Rule.MANIFEST, f"there is no {MANIFEST_NAME} in the folder {folder}")
        has_build = bool(read_manifest(folder / MANIFEST_NAME).build)
        files = FolderReader(folder, limits.files, limits.unpacked_bytes, has_build=has_build).read()
        write_archive(archive, files, lambda path: check_path(path, limits))
    except PackageError as error:
        raise PackageRefusedError(Rule(error.rule), str(error)) from error
    except OSError as error:
        raise RequestError(f"{error.filename or folder} cannot be read: {error.strerror}") from error


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

    Raises what `pack` raises, and the SDK's RequestError if `place` cannot be read.
    """
    archive = open_archive(place, _write)
    try:
        package = check_archive(archive)
        archive.seek(0)
    except BaseException as error:
        archive.close()
        if isinstance(error, PackageRefusedError) and error.rule is Rule.DAMAGED and not place.is_dir():
            raise PackageRefusedError(error.rule, f"{place}: {error}; {EXPECTED_PACKAGE}") from error
        raise
    return archive, package


def _is_packed(place: Path, folder: Path, *, has_build: bool) -> bool:
    """Return whether a file is a part of the package in a folder."""
    path, top = place.resolve(), folder.resolve()
    return path.is_relative_to(top) and not is_ignored(path.relative_to(top).parts, has_build=has_build)
