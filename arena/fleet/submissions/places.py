"""Where a data folder keeps what was built. `arena.server.intake` keeps the archives."""

from pathlib import Path


def builds_folder(data: Path) -> Path:
    """Return the folder of all built programs."""
    return data / "submissions" / "builds"


def build_path(data: Path, package: str) -> Path:
    """Return the folder of what was built from a package with this content hash."""
    return builds_folder(data) / package
