"""Where a data folder keeps what was submitted."""

from pathlib import Path


def packages_folder(data: Path) -> Path:
    """Return the folder of all archives."""
    return data / "submissions" / "packages"


def package_path(data: Path, package: str) -> Path:
    """Return the archive of a package with this content hash."""
    return packages_folder(data) / f"{package}.tar.gz"


def builds_folder(data: Path) -> Path:
    """Return the folder of all built programs."""
    return data / "submissions" / "builds"


def build_path(data: Path, package: str) -> Path:
    """Return the folder of what was built from a package with this content hash."""
    return builds_folder(data) / package
