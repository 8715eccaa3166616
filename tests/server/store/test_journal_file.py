"""The journal file: what was flushed is there after a SIGKILL, a torn end is dropped, damage in the middle is told."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import JournalError
from arena.match.referee.ports import Journal
from arena.server.store.journal_file import JournalFile, read_records


def write_groups(path: Path, *groups: list[bytes]) -> list[int]:
    """Write groups of records; give the size of the file after each, the empty file first."""
    journal = JournalFile(path)
    sizes = [path.stat().st_size]
    for group in groups:
        for record in group:
            journal.append(record)
        journal.flush()
        sizes.append(path.stat().st_size)
    journal.close()
    return sizes


def change(path: Path, offset: int, data: bytes) -> None:
    """Overwrite some bytes of a file."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


GROUPS = [b"deal", b"play 3"], [b""], [b"call " * 100, b"\0\xff"]
RECORDS = [record for group in GROUPS for record in group]


def test_records_are_read_back_in_order(tmp_path):
    write_groups(tmp_path / "a.journal", *GROUPS)

    records = read_records(tmp_path / "a.journal")

    assert list(records) == RECORDS
    assert not records.has_torn_tail
    assert records.dropped_byte_count == 0


@given(st.lists(st.lists(st.binary(max_size=40), max_size=5), max_size=5))
def test_arbitrary_records_round_trip(tmp_path_factory, groups):
    path = tmp_path_factory.mktemp("journals") / "a.journal"
    write_groups(path, *groups)

    assert list(read_records(path)) == [record for group in groups for record in group]


def test_journal_file_implements_match_journal(tmp_path):
    journal: Journal = JournalFile(tmp_path / "a.journal")

    journal.append(b"one")
    journal.flush()

    assert list(read_records(tmp_path / "a.journal")) == [b"one"]


def test_nothing_is_written_before_flush(tmp_path):
    path = tmp_path / "a.journal"
    journal = JournalFile(path)
    before = path.stat().st_size

    journal.append(b"one")
    assert path.stat().st_size == before

    journal.flush()
    after = path.stat().st_size
    journal.flush()  # nothing new
    assert path.stat().st_size == after > before
    journal.close()


def test_closing_writes_the_rest_once(tmp_path):
    journal = JournalFile(tmp_path / "a.journal")
    journal.append(b"last")

    journal.close()
    journal.close()

    assert list(read_records(tmp_path / "a.journal")) == [b"last"]
    journal.append(b"too late")
    with pytest.raises(JournalError, match="is closed"):
        journal.flush()


@pytest.mark.skipif(os.name != "posix", reason="permissions are of another kind there")
def test_journal_is_readable_only_by_owner(tmp_path):
    JournalFile(tmp_path / "a.journal").close()

    assert stat.S_IMODE((tmp_path / "a.journal").stat().st_mode) == 0o600


def test_existing_file_is_left_alone(tmp_path):
    (tmp_path / "a.journal").write_bytes(b"older")

    with pytest.raises(JournalError, match=r"cannot create the journal .*a\.journal: File exists"):
        JournalFile(tmp_path / "a.journal")

    assert (tmp_path / "a.journal").read_bytes() == b"older"


def test_every_torn_end_is_dropped_and_counted(tmp_path):
    """Wherever the file is cut, the whole groups before the cut remain, and the rest is reported in bytes."""
    path = tmp_path / "a.journal"
    sizes = write_groups(path, *GROUPS)
    whole = path.read_bytes()

    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        kept = sum(cut >= size for size in sizes[1:])

        records = read_records(path)

        assert list(records) == [record for group in GROUPS[:kept] for record in group], cut
        assert records.dropped_byte_count == cut - (sizes[kept] if cut >= sizes[0] else 0), cut


@pytest.mark.parametrize("rest", [bytes(5000), b"GRUP" + bytes(60), os.urandom(200)], ids=["zeros", "mark", "noise"])
def test_garbage_after_last_group_is_a_torn_end(tmp_path, rest):
    """A power cut may leave a file with extra blocks whose bytes were never written."""
    path = tmp_path / "a.journal"
    write_groups(path, *GROUPS)
    with path.open("ab") as file:
        file.write(rest)

    records = read_records(path)

    assert list(records) == RECORDS
    assert records.dropped_byte_count == len(rest)


def test_any_changed_byte_before_last_group_is_damage(tmp_path):
    """In lengths, checksums, chain or content: the error has the offset of the damaged group."""
    path = tmp_path / "a.journal"
    start, first, second, _ = write_groups(path, *GROUPS)
    whole = path.read_bytes()

    for offset in range(start, second):
        change(path, offset, bytes([whole[offset] ^ 0x55]))
        group = start if offset < first else first
        with pytest.raises(JournalError, match=rf"damaged at byte {group}\b"):
            list(read_records(path))
        change(path, offset, whole[offset : offset + 1])


def test_changed_byte_in_last_group_drops_that_group(tmp_path):
    path = tmp_path / "a.journal"
    *_, second, third = write_groups(path, *GROUPS)
    change(path, third - 1, b"!")

    records = read_records(path)

    assert list(records) == RECORDS[:3]
    assert records.dropped_byte_count == third - second


def test_omitted_or_moved_group_is_damage(tmp_path):
    """Each group is intact by itself; the chain reveals it."""
    path = tmp_path / "a.journal"
    start, first, second, third = write_groups(path, *GROUPS)
    whole = path.read_bytes()

    for forged in (
        whole[:first] + whole[second:],
        whole[:start] + whole[first:second] + whole[start:first] + whole[second:],
        whole[:third] + whole[second:],
    ):
        path.write_bytes(forged)
        with pytest.raises(JournalError, match="does not follow"):
            list(read_records(path))


def test_other_file_is_no_journal(tmp_path):
    (tmp_path / "a.journal").write_bytes(b"SQLite format 3\0")

    with pytest.raises(JournalError, match="is not a journal"):
        list(read_records(tmp_path / "a.journal"))
    with pytest.raises(JournalError, match="cannot be read: No such file"):
        list(read_records(tmp_path / "none.journal"))


def test_short_writes_are_completed(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, bytes(data)[:7]))

    write_groups(tmp_path / "a.journal", *GROUPS)

    assert list(read_records(tmp_path / "a.journal")) == RECORDS


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_full_disk_leaves_whole_groups_and_flush_can_be_retried(tmp_path, monkeypatch, number):
    """Faults 29 and 30: nothing is acknowledged or lost, and the journal continues without a restart."""
    path = tmp_path / "a.journal"
    journal = JournalFile(path)
    journal.append(b"first")
    journal.flush()
    whole = path.read_bytes()
    journal.append(b"second")
    write = os.write

    def fail_after_ten_bytes(file, data):
        if len(data) > 10 and not isinstance(data, memoryview):
            return write(file, data[:10])
        raise OSError(number, os.strerror(number))

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", fail_after_ten_bytes)
            with pytest.raises(JournalError, match=os.strerror(number)):
                journal.flush()
        assert path.read_bytes() == whole

    journal.append(b"third")
    journal.flush()
    journal.close()
    assert list(read_records(path)) == [b"first", b"second", b"third"]


def test_partial_write_that_cannot_be_truncated_is_truncated_before_next_group(tmp_path, monkeypatch):
    """The disk may refuse the truncation too."""
    path = tmp_path / "a.journal"
    journal = JournalFile(path)
    journal.append(b"first")
    write = os.write

    def fail_with_scraps(file, data):
        if isinstance(data, memoryview):
            raise OSError(errno.EIO, "no")
        return write(file, data[:10])

    def refuse(*_):
        raise OSError(errno.EIO, "no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fail_with_scraps)
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(JournalError):
            journal.flush()
    journal.flush()
    journal.close()

    assert list(read_records(path)) == [b"first"]


def test_interruption_during_write_leaves_no_partial_group(tmp_path, monkeypatch):
    """Ctrl-C arrives between two parts of a short write."""
    journal = JournalFile(tmp_path / "a.journal")
    journal.append(b"first")
    write = os.write

    def interrupted(file, data):
        write(file, data[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.flush()
    journal.close()

    assert list(read_records(tmp_path / "a.journal")) == [b"first"]


def test_real_file_size_limit_is_survived(tmp_path):
    """The kernel itself writes a part and refuses the rest."""
    resource = pytest.importorskip("resource")
    journal = JournalFile(tmp_path / "a.journal")
    journal.append(bytes(5_000))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        with pytest.raises(JournalError, match="cannot be written"):
            journal.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(read_records(journal.path)) == []
    assert not read_records(journal.path).has_torn_tail

    journal.close()
    assert list(read_records(journal.path)) == [bytes(5_000)]


def test_file_that_cannot_be_started_is_removed(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        with pytest.raises(JournalError, match="No space left"):
            JournalFile(tmp_path / "a.journal")

    JournalFile(tmp_path / "a.journal").close()


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL there")
def test_flushed_records_survive_sigkill(tmp_path):
    """A process prints each number after its flush; all printed numbers are in the file."""
    program = """
import sys
from pathlib import Path
from arena.server.store.journal_file import JournalFile
journal = JournalFile(Path(sys.argv[1]))
number = 0
while True:
    journal.append(str(number).encode())
    journal.flush()
    print(number, flush=True)
    number += 1
"""
    command = [sys.executable, "-c", program, str(tmp_path / "a.journal")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(500):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        told = 500 + len(process.stdout.read().splitlines())

    kept = [int(record) for record in read_records(tmp_path / "a.journal")]

    assert kept == list(range(len(kept)))
    assert len(kept) >= told > 0


def test_small_flush_is_cheap(tmp_path, monkeypatch):
    """It takes less than 30 us besides the write itself, best of many."""
    journal = JournalFile(tmp_path / "a.journal")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: len(data))
        best = 1.0
        for _ in range(500):
            start = time.thread_time()
            journal.append(b"0123456789" * 3)
            journal.flush()
            best = min(best, time.thread_time() - start)
    journal.close()

    assert best < 30e-6
