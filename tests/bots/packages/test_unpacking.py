"""Unpacking: each way in which an archive can be hostile has a rule of its own, and nothing is written outside."""

import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from arena.bots.packages.rules import MEBIBYTE, PackageLimits, Rule
from arena.bots.packages.tar_stream import InflatedBytes
from arena.bots.packages.unpacking import check_archive, unpack, unpack_built
from arena.errors import PackageRefusedError
from tests.support.archives import MANIFEST, entry, tar, tar_gz

pytestmark = pytest.mark.skipif(os.name != "posix", reason="servers unpack on POSIX alone")


def zip_file() -> bytes:
    """Return a zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("bot.toml", MANIFEST)
    return file.getvalue()


def with_base_256_size() -> bytes:
    """Return an archive whose last entry has a size in the way of GNU tar, below zero."""
    data = bytearray(tar(entry("big")))
    start = data.rindex(b"big\0")
    data[start + 124 : start + 136] = b"\xff" * 12
    total = sum(data[start : start + 148]) + 8 * 32 + sum(data[start + 156 : start + 512])
    data[start + 148 : start + 156] = b"%06o\0 " % total
    return bytes(data)


def claim_large_file() -> bytes:
    """Return an archive whose last header promises more bytes than a package may have."""
    info, _ = entry("large", size=65 * MEBIBYTE)
    return tar().rstrip(b"\0") + bytes(512 - len(tar().rstrip(b"\0")) % 512) + info.tobuf()


def with_wrong_checksum() -> bytes:
    """Return an archive with a changed header."""
    return tar(entry("one")).replace(b"one\0", b"two\0")


LINK, HARD, FIFO, CHAR, BLOCK = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE
HOSTILE = {
    "absolute": (tar_gz(entry("/etc/passwd", b"x")), Rule.PATH_LEAVES),
    "up": (tar_gz(entry("../bot.py", b"x")), Rule.PATH_LEAVES),
    "up-inside": (tar_gz(entry("a/../../b", b"x")), Rule.PATH_LEAVES),
    "up-folder": (tar_gz(entry("../a", type=tarfile.DIRTYPE)), Rule.PATH_LEAVES),
    "up-long": (tar_gz(entry("a/" * 60 + "../" * 61 + "b", b"x")), Rule.PATH_LEAVES),
    "up-prefix": (tar_gz(entry("../" + "a/" * 60 + "b", b"x"), form=tarfile.USTAR_FORMAT), Rule.PATH_LEAVES),
    "link-out": (tar_gz(entry("a", type=LINK, linkname="/etc/passwd")), Rule.LINK),
    "link-inside": (tar_gz(entry("a", type=LINK, linkname="bot.py")), Rule.LINK),
    "link-then-file": (tar_gz(entry("a", type=LINK, linkname="/tmp"), entry("a/b", b"x")), Rule.LINK),
    "hard-link": (tar_gz(entry("a", type=HARD, linkname="bot.py")), Rule.LINK),
    "hard-link-out": (tar_gz(entry("a", type=HARD, linkname="/etc/passwd")), Rule.LINK),
    "pipe": (tar_gz(entry("a", type=FIFO)), Rule.SPECIAL_FILE),
    "device": (tar_gz(entry("a", type=CHAR, devmajor=1, devminor=3)), Rule.SPECIAL_FILE),
    "disk": (tar_gz(entry("a", type=BLOCK, devmajor=8)), Rule.SPECIAL_FILE),
    "set-uid": (tar_gz(entry("a", b"x", mode=0o4755)), Rule.SPECIAL_MODE),
    "set-gid": (tar_gz(entry("a", b"x", mode=0o2755)), Rule.SPECIAL_MODE),
    "sticky-folder": (tar_gz(entry("a", type=tarfile.DIRTYPE, mode=0o1777)), Rule.SPECIAL_MODE),
    "newline": (tar_gz(entry("a\nb", b"x")), Rule.NAME),
    "escape": (tar_gz(entry("a\x1b[2J", b"x")), Rule.NAME),
    "mixed-scripts": (tar_gz(entry("c\u043eunter.py", b"x")), Rule.NAME),
    "not-utf-8": (tar_gz(entry("a\udcff", b"x")), Rule.NAME),
    "empty-part": (tar_gz(entry("a//b", b"x")), Rule.NAME),
    "here-inside": (tar_gz(entry("a/./b", b"x")), Rule.NAME),
    "long-name": (tar_gz(entry("a" * 101, b"x")), Rule.NAME_TOO_LONG),
    "very-long-name": (tar_gz(entry("a" * 5_000, b"x")), Rule.NAME_TOO_LONG),
    "deep": (tar_gz(entry("a/" * 16 + "b", b"x")), Rule.NAME_TOO_LONG),
    "twice": (tar_gz(entry("bot.py", b"other")), Rule.DUPLICATE),
    "file-and-folder": (tar_gz(entry("bot.py/a", b"x")), Rule.DUPLICATE),
    "folder-and-file": (tar_gz(entry("a", type=tarfile.DIRTYPE), entry("a", b"x")), Rule.DUPLICATE),
    "capitals": (tar_gz(entry("Bot.py", b"x")), Rule.LOOK_ALIKE),
    "capitals-of-folders": (tar_gz(entry("src/a", b"x"), entry("SRC/b", b"x")), Rule.LOOK_ALIKE),
    "cyrillic": (tar_gz(entry("\u0430", b"x"), entry("a", b"x")), Rule.LOOK_ALIKE),
    "pax": (tar_gz(entry("a", b"x", pax_headers={"path": "../b"}), form=tarfile.PAX_FORMAT), Rule.EXTENSION),
    "sparse": (tar_gz(entry("a", type=tarfile.GNUTYPE_SPARSE)), Rule.EXTENSION),
    "unknown-kind": (tar_gz(entry("a", type=b"Z")), Rule.EXTENSION),
    "size-below-zero": (gzip.compress(with_base_256_size()), Rule.EXTENSION),
    "checksum": (with_wrong_checksum(), Rule.DAMAGED),
    "cut": (tar()[:1_300], Rule.DAMAGED),
    "cut-gzip": (tar_gz()[:-12], Rule.DAMAGED),
    "wrong-crc": (tar_gz()[:-8] + bytes(8), Rule.DAMAGED),
    "empty": (b"", Rule.DAMAGED),
    "text": (b"hello", Rule.DAMAGED),
    "zip": (zip_file(), Rule.DAMAGED),
    "second-archive": (tar() + tar(entry("later", b"x")), Rule.TRAILING_DATA),
    "second-gzip": (tar_gz() + tar_gz(), Rule.TRAILING_DATA),
    "after-gzip": (tar_gz() + b"more", Rule.TRAILING_DATA),
    "many-zeros": (gzip.compress(tar() + bytes(2 * MEBIBYTE)), Rule.TRAILING_DATA),
    "many-files": (tar_gz(*(entry(f"a{number}") for number in range(2_000))), Rule.TOO_MANY_FILES),
    "many-folders": (
        tar_gz(*(entry(f"a{number}", type=tarfile.DIRTYPE) for number in range(2_001))),
        Rule.TOO_MANY_FILES,
    ),
    "claims-to-be-large": (claim_large_file(), Rule.TOO_LARGE),
}


def list_tree(folder: Path) -> set[str]:
    """Return everything below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(("archive", "rule"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_archive_is_refused_and_leaves_nothing(tmp_path, archive, rule):
    for read in (lambda: check_archive(io.BytesIO(archive)), lambda: unpack(io.BytesIO(archive), tmp_path / "bot")):
        with pytest.raises(PackageRefusedError) as refusal:
            read()

        assert refusal.value.rule is rule
        assert str(refusal.value).isprintable()
    assert list_tree(tmp_path) == set()


@pytest.mark.slow
def test_bomb_stops_while_it_is_read(tmp_path):
    """A gigabyte of zeros is read no further than the limit."""

    class Counting(io.BytesIO):
        count = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.count += len(data)
            return data

    bomb = Counting(gzip.compress(tar(entry("bot.bin", bytes(256 * MEBIBYTE)))))
    limits = PackageLimits(unpacked_bytes=MEBIBYTE, files=3)

    with pytest.raises(PackageRefusedError) as refusal:
        unpack(bomb, tmp_path / "bot", limits)
    assert refusal.value.rule is Rule.TOO_LARGE
    assert bomb.count < len(bomb.getvalue())
    assert list_tree(tmp_path) == set()


def test_inflating_stops_at_a_limit_whatever_the_bytes_mean():
    limits = PackageLimits(unpacked_bytes=MEBIBYTE, files=3)
    source = InflatedBytes(io.BytesIO(gzip.compress(bytes(4 * MEBIBYTE))), limits)

    with pytest.raises(PackageRefusedError, match="it unpacks to more than 1 MB"):
        source.read(4 * MEBIBYTE)


@pytest.mark.parametrize("folder", ["a/", "./"])
def test_bomb_of_headers_stops_too(folder):
    """Many folders without content are too many long before their end."""
    header = entry(folder, type=tarfile.DIRTYPE)[0].tobuf()

    with pytest.raises(PackageRefusedError) as refusal:
        check_archive(io.BytesIO(gzip.compress(header * 20_000)))
    assert refusal.value.rule is Rule.TOO_MANY_FILES


def test_folders_that_only_paths_of_files_name_count_too(tmp_path):
    """Each file could otherwise make as many folders as its path has parts."""
    files = [entry(f"{number}/{'a/' * 50}f") for number in range(20)]
    limits = PackageLimits(files=500, path_bytes=1_024, depth=64)

    with pytest.raises(PackageRefusedError) as refusal:
        unpack_built(io.BytesIO(tar(*files)), tmp_path / "built", limits)
    assert refusal.value.rule is Rule.TOO_MANY_FILES
    assert list_tree(tmp_path) == set()


def test_bomb_of_long_names_stops_too():
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 4_000
    name = info.tobuf() + b"a" * 3_999 + bytes(97)

    with pytest.raises(PackageRefusedError) as refusal:
        check_archive(io.BytesIO(gzip.compress(name * 10_000)))
    assert refusal.value.rule is Rule.EXTENSION


def test_archive_may_be_no_larger_than_allowed():
    archive = tar_gz(entry("noise", os.urandom(MEBIBYTE)))

    with pytest.raises(PackageRefusedError) as refusal:
        check_archive(io.BytesIO(archive), PackageLimits(archive_bytes=len(archive) - 1))
    assert refusal.value.rule is Rule.TOO_LARGE
    assert check_archive(io.BytesIO(archive), PackageLimits(archive_bytes=len(archive))).file_count == 3


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_archive_of_another_program_is_read(form):
    """GNU tar and others write owners, times, folders and `./` first; they do not count."""
    own = check_archive(io.BytesIO(tar_gz(entry("src/a.py", b"x"))))
    other = tar_gz(
        entry("./", type=tarfile.DIRTYPE, mode=0o755),
        entry("./src", type=tarfile.DIRTYPE, mode=0o700),
        entry("./src/a.py", b"x", uid=1000, uname="me", mtime=1_700_000_000, mode=0o664),
        form=form,
    )

    assert check_archive(io.BytesIO(other)) == own
    assert check_archive(io.BytesIO(gzip.decompress(other))) == own


def test_manifest_has_to_be_at_the_top_and_small():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in (entry("counter/bot.toml", MANIFEST), entry("counter/bot.py")):
            archive.addfile(info, io.BytesIO(content))

    with pytest.raises(PackageRefusedError, match=r"'counter/bot\.toml' is in a folder, so pack that folder"):
        check_archive(io.BytesIO(file.getvalue()))

    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        info, content = entry("bot.toml", b"#" * 70_000)
        archive.addfile(info, io.BytesIO(content))
    with pytest.raises(PackageRefusedError, match="larger than 65536 bytes"):
        check_archive(io.BytesIO(file.getvalue()))


def test_modes_do_not_depend_on_the_umask(tmp_path):
    archive = tar_gz(entry("src/run", b"#!/bin/sh", mode=0o700), entry("src/data", b"x", mode=0o666))
    before = os.umask(0o077)
    try:
        unpack(io.BytesIO(archive), tmp_path / "bot")
    finally:
        os.umask(before)

    modes = {
        name: stat.S_IMODE((tmp_path / "bot" / name).stat().st_mode) for name in (".", "src", "src/run", "src/data")
    }
    assert modes == {".": 0o755, "src": 0o755, "src/run": 0o755, "src/data": 0o644}


def test_existing_folder_is_not_written_into(tmp_path):
    (tmp_path / "bot").mkdir()

    with pytest.raises(FileExistsError):
        unpack(io.BytesIO(tar_gz()), tmp_path / "bot")
    assert list_tree(tmp_path) == {"bot"}


# ---- results of builds


def link(path: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    """Return a symbolic link."""
    return entry(path, type=LINK, linkname=target)


def test_built_result_may_have_links_inside(tmp_path):
    archive = tar(
        entry("node_modules/a/cli.js", b"x", mode=0o755),
        link("node_modules/.bin/a", "../a/cli.js"),
        entry("empty", type=tarfile.DIRTYPE),
        entry("README", b"x"),
        entry("readme", b"x"),
        entry("node_modules/" + "long/" * 40 + "c\u043eunter", b"x"),
    )

    built = unpack_built(io.BytesIO(archive), tmp_path / "built")

    assert (tmp_path / "built/node_modules/.bin/a").read_bytes() == b"x"
    assert (tmp_path / "built/empty").is_dir()
    assert built == unpack_built(io.BytesIO(archive), tmp_path / "again")


@pytest.mark.parametrize(
    "entries",
    [
        (link("a", "/etc/passwd"),),
        (link("a", ".."),),
        (link("a", "../a"),),
        (link("b/c", "../../x"),),
        (link("a", ""),),
        (link("b/c/d", "../.."), link("b/c/x", "d/../../..")),
        (entry("a", type=HARD, linkname="bot.py"),),
    ],
)
def test_built_link_that_may_leave_is_refused(tmp_path, entries):
    with pytest.raises(PackageRefusedError) as refusal:
        unpack_built(io.BytesIO(tar(*entries)), tmp_path / "built")

    assert refusal.value.rule is Rule.LINK
    assert list_tree(tmp_path) == set()


@pytest.mark.parametrize("entries", [(link("a", "b"), entry("a/c", b"x")), (entry("a/c", b"x"), link("a", "b"))])
def test_nothing_is_written_through_a_link_of_the_build(tmp_path, entries):
    with pytest.raises(PackageRefusedError) as refusal:
        unpack_built(io.BytesIO(tar(*entries)), tmp_path / "built")

    assert refusal.value.rule is Rule.DUPLICATE


def test_refusal_names_no_path_of_this_machine(tmp_path, monkeypatch):
    """Its reader is an author on another machine."""
    monkeypatch.setattr("sys.argv", ["/srv/arena/bin/arena", "serve"])
    archive = tmp_path / "package"
    archive.write_bytes(zip_file())

    with (
        archive.open("rb") as file,
        pytest.raises(PackageRefusedError, match="with `python -m cheatarena submit FOLDER`"),
    ):
        check_archive(file, PackageLimits())
