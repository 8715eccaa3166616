"""A journal on the disk: what a failed sync leaves in doubt is written anew, and nothing else."""

import errno
import os
from pathlib import Path

import pytest

from arena.errors import JournalError
from arena.match.referee.ports import SyncedJournal as Port
from arena.server.store.journal_file import read_records
from arena.server.store.synced_journal import SyncedJournalFile


class Disk:
    """Takes what is synced; forgets what it had not taken when it fails, as Linux may."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.has = b""
        self.is_broken = False
        self.count = 0

    def sync(self, file: int) -> None:
        self.count += 1
        if self.is_broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.has = self._path.read_bytes()

    def after_a_power_cut(self) -> list[bytes]:
        """The records that would be found."""
        self._path.write_bytes(self.has)
        return [*read_records(self._path)]


@pytest.fixture
def disk(tmp_path) -> Disk:
    return Disk(tmp_path / "a.journal")


@pytest.fixture
def journal(tmp_path, disk: Disk) -> SyncedJournalFile:
    return SyncedJournalFile(tmp_path / "a.journal", disk.sync)


def put(journal: Port, *records: bytes) -> None:
    for record in records:
        journal.append(record)
    journal.flush()


def test_synced_journal_implements_node_journal(tmp_path):
    """It uses the real disk of this machine."""
    journal: Port = SyncedJournalFile(tmp_path / "a.journal")

    put(journal, b"one")
    journal.sync()

    assert [*read_records(tmp_path / "a.journal")] == [b"one"]


def test_synced_records_survive_power_cut(journal: SyncedJournalFile, disk: Disk):
    put(journal, b"one", b"two")
    journal.sync()
    put(journal, b"three")

    assert disk.after_a_power_cut() == [b"one", b"two"]


def test_records_of_latest_sync_are_known(journal: SyncedJournalFile):
    """A caller notified now wants to know which matches they belong to."""
    put(journal, b"one", b"two")
    journal.sync()
    assert [*journal.last_sync_records] == [b"one", b"two"]

    put(journal, b"three")
    journal.append(b"four")
    journal.sync()
    assert [*journal.last_sync_records] == [b"three"]


def test_records_left_in_doubt_by_failed_sync_are_rewritten(journal: SyncedJournalFile, disk: Disk, tmp_path):
    """Another sync would prove nothing: the system may have discarded the pages and report success."""
    path = tmp_path / "a.journal"
    put(journal, b"sure")
    journal.sync()
    sure = path.read_bytes()
    put(journal, b"doubtful")
    journal.append(b"later")
    disk.is_broken = True
    with pytest.raises(JournalError, match="cannot be synced: Input/output error"):
        journal.sync()
    path.write_bytes(sure + bytes(path.stat().st_size - len(sure)))  # the pages that were thrown away

    disk.is_broken = False
    journal.flush()
    assert [*journal.last_sync_records] == [b"doubtful", b"later"]
    journal.sync()

    assert disk.after_a_power_cut() == [b"sure", b"doubtful", b"later"]


def test_disk_may_fail_repeatedly(journal: SyncedJournalFile, disk: Disk):
    disk.is_broken = True
    for record in (b"one", b"two", b"three"):
        put(journal, record)
        with pytest.raises(JournalError):
            journal.sync()
    disk.is_broken = False

    put(journal, b"four")
    journal.sync()

    assert disk.after_a_power_cut() == [b"one", b"two", b"three", b"four"]


def test_failed_write_after_failed_sync_loses_nothing(journal: SyncedJournalFile, disk: Disk, monkeypatch):
    put(journal, b"one")
    disk.is_broken = True
    with pytest.raises(JournalError):
        journal.sync()
    disk.is_broken = False
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        with pytest.raises(JournalError, match="full"):
            journal.flush()

    put(journal, b"two")
    journal.sync()

    assert disk.after_a_power_cut() == [b"one", b"two"]


def test_closing_syncs_the_rest_to_disk(journal: SyncedJournalFile, disk: Disk):
    journal.append(b"last")

    journal.close()
    journal.close()

    assert disk.after_a_power_cut() == [b"last"]


def test_disk_refusing_the_rest_raises_on_close(journal: SyncedJournalFile, disk: Disk):
    journal.append(b"last")
    disk.is_broken = True

    with pytest.raises(JournalError, match="cannot be synced"):
        journal.close()
    journal.close()


def test_journal_is_not_started_on_disk_that_cannot_sync(tmp_path, disk: Disk):
    disk.is_broken = True

    with pytest.raises(JournalError, match="cannot be synced"):
        SyncedJournalFile(tmp_path / "a.journal", disk.sync)

    assert not (tmp_path / "a.journal").exists()
