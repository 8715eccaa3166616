"""The SDK packs a bot as the arena does, and refuses in one sentence what is no package."""

import io
import tarfile
from pathlib import Path

import pytest

from arena.bots.packages.packing import pack
from cheatarena.errors import PackageError, RequestError
from cheatarena.packing import PackedBot, open_archive, pack_folder, parse_manifest, read_packed_bot
from tests.support.archives import FILES, entry, tar, tar_gz, write_folder

BUILT = b'name = "counter"\nversion = "1.0"\nbuild = "make"\npools = ["quick"]\n'


def test_archive_is_byte_for_byte_that_of_the_arena(tmp_path):
    folder = write_folder(tmp_path, {**FILES, "bot.toml": BUILT, "dist/out": b"x", ".venv/a": b"x", "src/b.py": b"y"})
    of_the_arena = io.BytesIO()
    package = pack(folder, of_the_arena)

    with open_archive(folder, pack_folder) as archive:
        packed = archive.read()

    assert packed == of_the_arena.getvalue()
    assert package.file_count == 3


@pytest.mark.parametrize("archive", [tar(), tar_gz()], ids=["tar", "tar.gz"])
def test_manifest_of_an_archive_says_which_bot_it_is(archive):
    file = io.BytesIO(archive)

    assert read_packed_bot(file, "bot.tar") == PackedBot("counter", "1.0", has_pools=False)
    assert file.read() == archive


def test_manifest_says_whether_there_are_pools_and_a_build():
    bot = parse_manifest(b"\xef\xbb\xbf" + BUILT.replace(b"counter", "Zoe\u0308".encode()), "bot.toml")

    assert bot == PackedBot("Zo\u00eb", "1.0", has_pools=True, has_build=True)


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (b"name = ", "cannot read 'bot.toml': expected TOML"),
        (b"\xff", "cannot read 'bot.toml': expected TOML"),
        (b"a=" + b"[" * 5000, "cannot read 'bot.toml': expected TOML"),
        (b"version = '1'", "bot.toml: `name` is missing: expected a text in quotes"),
        (b"name = 'a'\nversion = 1", "bot.toml: `version` is 1: expected a text in quotes"),
        (b" " * (64 * 1024 + 1), "bot.toml is larger than 65536 bytes"),
    ],
)
def test_manifest_without_name_or_version_is_refused(manifest, text):
    with pytest.raises(RequestError) as refusal:
        parse_manifest(manifest, "bot.toml")
    assert str(refusal.value).startswith(text)


@pytest.mark.parametrize("content", [b"", b"print()\n", tar_gz()[:60], b"PK\x03\x04"])
def test_file_that_is_no_archive_is_refused(content):
    with pytest.raises(PackageError, match=r"a file: .*; expected the folder of a bot, or an archive") as refusal:
        read_packed_bot(io.BytesIO(content), "a file")
    assert refusal.value.rule in ("damaged", "manifest")


def test_archive_without_a_manifest_at_its_top_is_refused():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(entry("bot/bot.toml")[0])
    file.seek(0)

    with pytest.raises(PackageError, match=r"bot\.tar: the package has no bot\.toml at its top"):
        read_packed_bot(file, "bot.tar")


def test_folder_without_a_manifest_is_refused(tmp_path: Path):
    with pytest.raises(PackageError, match=r"there is no bot\.toml in the folder"):
        open_archive(tmp_path, pack_folder)
