"""`arena top` says what takes room, and warns of a disk that is full soon."""

from arena.cli.present import Styled
from arena.cli.top import _storage_lines
from arena.server.store.folder_sizes import FolderSizes

GIGABYTE = 1 << 30


def lines(growth: int) -> list[object]:
    sizes = FolderSizes(20 * GIGABYTE, GIGABYTE, 1 << 20, 0, 5, 100 * GIGABYTE, 200 * GIGABYTE, growth)
    return list(_storage_lines(sizes))


def test_sizes_are_shown_by_what_takes_them():
    assert lines(0) == [
        "journals 20 GB, packed 1024 MB, database 1 MB",
        "submissions 0 bytes, other 5 bytes",
        "disk: 100 GB of 200 GB free",
    ]


def test_forecast_is_red_if_the_disk_is_full_soon():
    assert lines(GIGABYTE)[-1] == "1024 MB more in the last day: full in 100 days"
    assert lines(1)[-1] == "1 byte more in the last day: full in more than 10 years"
    soon = lines(10 * GIGABYTE)[-1]
    assert isinstance(soon, Styled)
    assert soon.text == "10 GB more in the last day: full in 10 days"
