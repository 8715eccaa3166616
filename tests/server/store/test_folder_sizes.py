"""A server says what takes room in its data folder, and when the disk is full if it goes on like that."""

import os
from pathlib import Path

import pytest

from arena.ids import new_id
from arena.server.store.folder_sizes import DAY_S, FolderMeter, FolderSizes, measure_folder
from arena.server.store.journal_packing import pack_journals

NOW = 1_800_000_000.0
MEGABYTE = 1 << 20
SIZES = FolderSizes(0, 0, 0, 0, 0, free=1000, disk=5000, growth_a_day=100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "journals").mkdir()
    return tmp_path


def put(path: Path, size: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(size))
    return path


def put_journal(folder: Path, began: float, ended: float, size: int) -> Path:
    path = put(folder / "journals" / f"{new_id(lambda: began, bytes)}-1.journal", size)
    os.utime(path, (ended, ended))
    return path


def test_each_part_is_measured(folder: Path):
    put(folder / "arena.db", 2 * MEGABYTE)
    put(folder / "arena.db-wal", MEGABYTE)
    put(folder / "submissions/builds/one/bot", 4 * MEGABYTE)
    put(folder / "bots/one.log", 5 * MEGABYTE)
    put_journal(folder, NOW - 60, NOW, 6 * MEGABYTE)
    old = put_journal(folder, NOW - 99 * DAY_S, NOW - 98 * DAY_S, 7 * MEGABYTE)
    (folder / "packed").mkdir()
    pack_journals(folder / "packed" / "2026-10-08.zip", [old])

    sizes = measure_folder(folder, NOW)

    found = [sizes.journals, sizes.packed, sizes.database, sizes.submissions, sizes.other]
    assert [round(each / MEGABYTE) for each in found] == [6, 7, 3, 4, 5]
    assert 0 < sizes.free < sizes.disk


@pytest.mark.parametrize(
    ("began_days", "ended_days", "megabytes"),
    [
        (0.5, 0, 8),  # all of it within the last day
        (2, 0, 4),  # half of its time
        (8, 0, 1),
        (3, 2, 0),  # it ended before
        (-1, 0, 0),  # its node's clock was ahead
        (0.5, -1, 0),
    ],
)
def test_growth_is_what_journals_got_in_the_last_day(folder: Path, began_days, ended_days, megabytes):
    put_journal(folder, NOW - began_days * DAY_S, NOW - ended_days * DAY_S, 8 * MEGABYTE)

    growth = measure_folder(folder, NOW).growth_a_day

    assert growth == pytest.approx(megabytes * MEGABYTE, rel=0.01)


def test_database_grows_in_proportion_to_the_journals(folder: Path):
    put(folder / "arena.db", 4 * MEGABYTE)
    put_journal(folder, NOW - 9.5 * DAY_S, NOW - 9 * DAY_S, 8 * MEGABYTE)
    put_journal(folder, NOW - 0.5 * DAY_S, NOW, 8 * MEGABYTE)

    assert measure_folder(folder, NOW).growth_a_day == pytest.approx(10 * MEGABYTE, rel=0.01)


def test_empty_folder_grows_by_nothing_and_is_never_full(folder: Path):
    sizes = measure_folder(folder, NOW)

    assert (sizes.growth_a_day, sizes.days_left) == (0, None)
    assert SIZES.days_left == 10


def test_folder_is_measured_at_most_once_a_minute(folder: Path):
    now = NOW
    meter = FolderMeter(folder, lambda: now)
    assert meter.measure().other == 0
    put(folder / "bots/one.log", MEGABYTE)

    now = NOW + 59
    assert meter.measure().other == 0
    now = NOW + 60
    assert meter.measure().other >= MEGABYTE
    (folder / "bots/one.log").unlink()
    now = NOW - 3600  # somebody set the clock
    assert meter.measure().other == 0
