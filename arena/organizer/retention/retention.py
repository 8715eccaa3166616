"""One round of packing and dropping the journals of a data folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.ids import WallTime
from arena.log_lines import get_logger
from arena.match.game import Game
from arena.organizer.retention.journal_check import JournalCheck, Kept
from arena.organizer.retention.old_journals import DAY_S, find_old_journals, is_older
from arena.plain_data import to_plain
from arena.server.config.retention_settings import RetentionSettings
from arena.server.store.data_folder import FolderLock
from arena.server.store.journal_packing import drop_archive, hold_packing, journal_ends, pack_journals
from arena.server.store.open_store import Store, open_store
from arena.server.store.packed_journals import list_archives

log = get_logger(__name__)


@dataclass(slots=True)
class RetentionReport:
    """What one round did, by the file names of journals."""

    packed: list[str] = field(default_factory=list)
    byte_count: int = 0
    """The size of the packed journals before."""
    packed_byte_count: int = 0
    """The bytes by which the archives grew."""
    kept: dict[str, str] = field(default_factory=dict)
    """Why an old journal was not packed."""
    dropped: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        values: dict[str, Any] = to_plain(self)
        return values


async def run_round(
    folder: Path, terms: RetentionSettings, games: Mapping[str, Game], now: WallTime, held: FolderLock | None = None
) -> RetentionReport:
    """Pack the old journals of a data folder whose matches are all over, and drop those past their term.

    Without the lock of the folder, a server may write to the newest journals, and they are left out. A kill at any
    instant loses nothing. Raises StoreLockedError if another process packs, and StoreError if an archive cannot be read
    or written.
    """
    report = RetentionReport()
    with hold_packing(folder):
        async with await open_store(folder, held) as store:
            before = now - terms.pack_after_days * DAY_S
            for archive, journals in find_old_journals(folder, before, is_served=held is None).items():
                await _pack(store, games, archive, journals, report)
        if terms.drop_after_days is not None:
            _drop(folder, terms.drop_after_days, now, report)
    return report


async def _pack(
    store: Store, games: Mapping[str, Game], archive: Path, journals: list[Path], report: RetentionReport
) -> None:
    """Pack the journals of a day whose matches are all over, and report why others stay."""
    check, ready = JournalCheck(store, games), []
    for journal in journals:
        kept = await check.why_kept(journal)
        if kept is None:
            ready.append(journal)
        else:
            report.kept[journal.name] = kept.reason
            _log_kept(journal, kept)
    if ready:
        size, grown = sum(journal.stat().st_size for journal in ready), pack_journals(archive, ready)
        report.packed += [journal.name for journal in ready]
        report.byte_count += size
        report.packed_byte_count += grown
        log.info("journals packed", day=archive.stem, journals=len(ready), bytes=size, packed_bytes=grown)


def _drop(folder: Path, term_days: int, now: WallTime, report: RetentionReport) -> None:
    for archive in list_archives(folder):
        if is_older(archive, term_days, now):
            names = sorted(journal_ends(archive))
            drop_archive(archive, names, now, term_days)
            report.dropped += names
            log.info("journals dropped", day=archive.stem, journals=len(names), term_days=term_days)


def _log_kept(journal: Path, kept: Kept) -> None:
    write = log.warning if kept.is_fault else log.info
    write("a journal is not packed", journal=journal.name, why=kept.reason)
