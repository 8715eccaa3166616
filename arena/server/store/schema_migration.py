"""Migrates the schema with Alembic. Importing this module is slow, so `schema` does it only if needed."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from sqlalchemy import Connection

from arena.errors import StoreVersionError

MIGRATIONS: Final = Path(__file__).with_name("migrations")
_UNRELEASED: Final = frozenset(f"{number:04}" for number in range(5, 12))
"""Schemas between release 0.1.0, which has 0004, and 0012. No release wrote them."""
_UPDATING_COMMIT: Final = "92369197"
"""A version of the arena that migrates them to 0012."""


def check_revision_known(revision: str, path: Path) -> None:
    """Raise StoreVersionError for a revision that this version cannot migrate."""
    if revision in _UNRELEASED:
        raise StoreVersionError(
            f"the store {path} was made between two releases (schema {revision}): open it once with"
            f" commit {_UPDATING_COMMIT}, which updates it, or use another data folder"
        )
    script = ScriptDirectory.from_config(_build_config())
    try:
        script.get_revision(revision)
    except (CommandError, ResolutionError) as error:
        raise StoreVersionError(
            f"the store {path} was made by a newer version of the arena (schema {revision},"
            f" known up to {script.get_current_head()}): use that version, or another data folder"
        ) from error


def upgrade(connection: Connection) -> None:
    """Run the missing migrations in the open transaction."""
    command.upgrade(_build_config(connection), "head")


def _build_config(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration for the migrations."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
