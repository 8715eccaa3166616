"""Packed journals read as files do, and a kill, a full disk or a damaged archive loses none."""

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.errors import JournalError, StoreError, StoreLockedError
from arena.server.store import journal_packing
from arena.server.store.journal_file import JournalFile, read_records
from arena.server.store.journal_packing import drop_archive, hold_packing, journal_ends, pack_journals
from arena.server.store.packed_journals import (
    archive_of,
    describe_missing,
    find_dropped,
    has_journal,
    list_archives,
    list_journals,
)

NAMES = ("01M8357V9B6D7XVTYM3QK235J2-1.journal", "01M8357XGTFNNZYWZR3G0S2SVA-2.journal")
"""Two journals of one day, 2026-11-23."""


@pytest.fixture
def journals(tmp_path: Path) -> list[Path]:
    (tmp_path / "journals").mkdir()
    return [write(tmp_path / "journals" / name, name.encode()) for name in NAMES]


def write(path: Path, *records: bytes) -> Path:
    file = JournalFile(path)
    for record in (*records, b"second", bytes(100_000)):
        file.append(record)
        file.flush()
    file.close()
    return path


def archive(journals: list[Path]) -> Path:
    found = archive_of(journals[0])
    assert found is not None
    found.parent.mkdir(exist_ok=True)
    return found


def test_packed_journals_read_as_files_do(journals):
    """Also from a place in the middle, and with the torn end that a killed server leaves."""
    with journals[1].open("ab") as file:
        file.write(b"GRUP torn")
    reader = read_records(journals[0])
    next(reader)
    next(reader)
    middle = reader.place
    contents = [path.read_bytes() for path in journals]
    before = [[*read_records(path)] for path in journals], [*read_records(journals[0], middle)]

    pack_journals(archive(journals), journals)

    assert not any(path.exists() for path in journals)
    assert ([[*read_records(path)] for path in journals], [*read_records(journals[0], middle)]) == before
    torn = read_records(journals[1])
    assert [*torn]
    assert torn.dropped_byte_count == len(b"GRUP torn")
    with zipfile.ZipFile(archive(journals)) as opened:
        assert [opened.read(path.name) for path in journals] == contents, "any program can unpack them"
    assert (archive(journals).stat().st_mode & 0o777, archive(journals).name) == (0o600, "2026-11-23.zip")


def test_an_archive_grows_with_the_journals_of_its_day(journals, tmp_path):
    pack_journals(archive(journals), journals[:1])
    assert [(each.name, each.state) for each in list_journals(tmp_path)] == [(NAMES[0], "packed"), (NAMES[1], "file")]

    pack_journals(archive(journals), journals[1:])

    assert [each.state for each in list_journals(tmp_path)] == ["packed", "packed"]
    assert [next(iter(read_records(path))) for path in journals] == [name.encode() for name in NAMES]


def test_a_name_without_a_day_is_never_packed(tmp_path):
    """Also a hostile one, which would lead elsewhere."""
    for name in ("12.journal", "../../x.journal", "01M8357V9B.journal", "ULIDULIDULIDULIDULIDULIDUL-1.journal"):
        path = tmp_path / "journals" / name
        assert archive_of(path) is None
        assert not has_journal(path)


def test_times_that_an_archive_cannot_tell_are_no_trouble(journals):
    os.utime(journals[0], (0, 0))
    os.utime(journals[1], (2**33, 2**33))

    pack_journals(archive(journals), journals)

    first, second = journal_ends(archive(journals)).values()
    assert (time.gmtime(first).tm_year, time.gmtime(second).tm_year) == (1980, 2107)


def fail_in(monkeypatch, name: str, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(journal_packing, name, fail)


@pytest.mark.parametrize("step", ["_require_room", "_write_archive", "sync_file", "_compare"])
def test_full_disk_leaves_journals_and_archive_as_they_are(journals, monkeypatch, step):
    pack_journals(archive(journals), journals[:1])
    old = archive(journals).read_bytes()

    fail_in(monkeypatch, step, OSError(28, "No space left on device"))
    with pytest.raises(StoreError, match=r"cannot be packed into .*2026-11-23.zip: .*No space left"):
        pack_journals(archive(journals), journals[1:])

    assert archive(journals).read_bytes() == old
    assert [path.name for path in archive(journals).parent.iterdir()] == ["2026-11-23.zip"]
    assert journals[1].exists()


def test_room_is_left_for_running_matches(journals, monkeypatch):
    disk = SimpleNamespace(free=100 << 20)
    monkeypatch.setattr("shutil.disk_usage", lambda _: disk)

    with pytest.raises(StoreError, match="100 MB are free on the disk, expected 256"):
        pack_journals(archive(journals), journals)


def test_another_journal_of_the_same_name_is_neither_lost_nor_replaced(journals):
    pack_journals(archive(journals), journals)
    write(journals[0], b"another")

    with pytest.raises(StoreError, match=f"it has another journal {NAMES[0]}"):
        pack_journals(archive(journals), journals[:1])

    assert next(iter(read_records(journals[0]))) == b"another"


def test_damaged_archive_is_reported_and_left_alone(journals, tmp_path):
    pack_journals(archive(journals), journals[:1])
    whole = archive(journals).read_bytes()

    archive(journals).write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    with pytest.raises(JournalError, match=f"the packed journal {NAMES[0]} is damaged"):
        [*read_records(journals[0])]
    archive(journals).write_bytes(whole[:-30])
    with pytest.raises(JournalError, match=f"2026-11-23.zip, which has the journal {NAMES[0]}, is damaged"):
        [*read_records(journals[0])]
    with pytest.raises(StoreError, match="cannot be packed"):
        pack_journals(archive(journals), journals[1:])

    assert has_journal(journals[0])
    assert archive(journals).read_bytes() == whole[:-30]
    assert [each.name for each in list_journals(tmp_path)] == [NAMES[1]]


def test_dropped_journals_are_named_with_the_term(journals, tmp_path):
    pack_journals(archive(journals), journals[:1])
    drop_archive(archive(journals), NAMES[:1], 1_800_000_000.0, 365)
    pack_journals(archive(journals), journals[1:])
    drop_archive(archive(journals), NAMES[1:], 1_900_000_000.0, 1)

    said = "was dropped on 2030-03-17, by the organizer's term of 1 day"
    assert [describe_missing(path) for path in journals] == [f"the journal {name} {said}" for name in NAMES]
    assert list_archives(tmp_path) == []
    assert [each.state for each in list_journals(tmp_path)] == ["dropped", "dropped"]
    other = journals[0].with_name("01M8357V9B6D7XVTYM3QK235J3-1.journal")
    assert describe_missing(other).endswith("is not in this data folder")


def test_garbage_for_a_note_drops_nothing(journals):
    archive(journals).with_suffix(".dropped.json").write_bytes(b'{"journals": 7}')
    assert find_dropped(journals[0]) is None


def test_only_one_process_packs(tmp_path):
    (tmp_path / "journals").mkdir()
    with (
        hold_packing(tmp_path),
        pytest.raises(StoreLockedError, match="another process packs"),
        hold_packing(tmp_path),
    ):
        pass
    with hold_packing(tmp_path):
        pass


KILLED_AT_EVERY_STEP = """
import os, signal, sys, zipfile
from pathlib import Path
from arena.server.store.journal_file import read_records
from arena.server.store.journal_packing import drop_archive, pack_journals
from arena.server.store.packed_journals import archive_of, find_dropped, list_archives, list_journals

folder, drops = Path(sys.argv[1]), sys.argv[2] == "drop"
paths = sorted((folder / "journals").iterdir())
before = {path: [*read_records(path)] for path in paths}
archive = archive_of(paths[0])
archive.parent.mkdir()
if drops:
    pack_journals(archive, paths)

def work():
    if drops:
        for each in list_archives(folder):
            drop_archive(each, [path.name for path in paths], 0.0, 1)
    else:
        pack_journals(archive, [path for path in paths if path.exists()])

def die_at(step):
    left = step
    def hook(event, arguments):
        nonlocal left
        if event in ("open", "os.rename", "os.remove") and str(folder) in str(arguments):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

step = 0
while True:
    child = os.fork()
    if not child:
        die_at(step)
        try:
            work()
        except BaseException as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    ended = os.waitpid(child, 0)[1]
    if ended == 0:
        break
    assert ended == signal.SIGKILL, ended
    assert [each.name for each in list_journals(folder)] == [path.name for path in paths], step
    for path in paths:
        assert (drops and find_dropped(path)) or [*read_records(path)] == before[path], step
    step += 1
states = {each.state for each in list_journals(folder)}
assert states == {"dropped" if drops else "packed"}, states
print(step, sorted(path.name for path in archive.parent.iterdir()))
"""


@pytest.mark.parametrize(("what", "left"), [("pack", "2026-11-23.zip"), ("drop", "2026-11-23.dropped.json")])
@pytest.mark.slow
def test_kill_at_any_file_operation_loses_and_doubles_nothing(journals, tmp_path, what, left):
    """Each attempt goes on where the one before was killed, one operation later."""
    words = [sys.executable, "-c", KILLED_AT_EVERY_STEP, str(tmp_path), what]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)

    assert ended.returncode == 0, ended.stderr
    steps, _, names = ended.stdout.partition(" ")
    assert int(steps) >= 3
    assert names.strip() == f"['{left}']"
