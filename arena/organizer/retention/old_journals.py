"""Which journals are old. A server asks it, so this needs nothing that computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.errors import StoreError
from arena.ids import WallTime
from arena.log_lines import get_logger
from arena.replays.library.journals import journals_by_start
from arena.server.config.retention_settings import RetentionSettings
from arena.server.store.journal_packing import journal_ends
from arena.server.store.packed_journals import archive_of, list_archives

log = get_logger(__name__)

DAY_S: Final = 86_400


def find_old_journals(folder: Path, before: WallTime, *, is_served: bool) -> dict[Path, list[Path]]:
    """Return the journals to which nobody has written since `before`, by their archive, oldest first.

    While the folder is served, those of the newest start are left out: nodes may still write to them.
    """
    found: dict[Path, list[Path]] = {}
    for journal in sorted(path for paths in journals_by_start(folder)[is_served:] for path in paths):
        archive = archive_of(journal)
        if archive is not None and journal.stat().st_mtime < before:
            found.setdefault(archive, []).append(journal)
    return found


def is_due(folder: Path, terms: RetentionSettings, wall_clock: Callable[[], WallTime]) -> bool:
    """Return whether a round in a folder that is served may have something to do. What cannot be read is not due."""
    now = wall_clock()
    try:
        old = find_old_journals(folder, now - terms.pack_after_days * DAY_S, is_served=True)
        return bool(old) or any(is_older(archive, terms.drop_after_days, now) for archive in list_archives(folder))
    except (OSError, StoreError) as error:
        log.warning("journals are not packed", fault=str(error))
        return False


def is_older(archive: Path, days: int | None, now: WallTime) -> bool:
    """Return whether all journals of an archive ended more than `days` days ago. With None, no archive is older.

    Raises StoreError.
    """
    return days is not None and max(journal_ends(archive).values(), default=now) < now - days * DAY_S
