"""Packing: the same files give the same archive, and what no bot needs stays out."""

import io
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.packages.package_check import Package
from arena.bots.packages.packing import pack
from arena.bots.packages.rules import PackageLimits, Rule
from arena.bots.packages.unpacking import unpack
from arena.errors import OptionsError, PackageRefusedError, RequestError
from tests.support.archives import FILES, MANIFEST, write_folder

SAMPLES = Path(__file__).parents[3] / "sample_bots"
posix = pytest.mark.skipif(os.name != "posix", reason="only POSIX has such files")


def pack_bytes(folder: Path, limits: PackageLimits | None = None) -> tuple[bytes, Package]:
    """Return the archive of a folder, and the package."""
    archive = io.BytesIO()
    package = pack(folder, archive, limits or PackageLimits())
    return archive.getvalue(), package


def refused_rule(folder: Path, limits: PackageLimits | None = None) -> Rule:
    """Return the rule that a folder breaks."""
    with pytest.raises(PackageRefusedError) as refusal:
        pack_bytes(folder, limits)
    return Rule(refusal.value.rule)


def test_package_says_what_is_in_it(tmp_path):
    _, package = pack_bytes(write_folder(tmp_path))

    assert (package.manifest.name, package.manifest.version) == ("counter", "1.0")
    assert (package.file_count, package.byte_count) == (2, sum(map(len, FILES.values())))
    assert len(package.hash) == 64


def test_place_time_and_order_do_not_count(tmp_path):
    one = write_folder(tmp_path / "one", FILES)
    other = write_folder(tmp_path / "other", dict(sorted(FILES.items())))
    for path in other.iterdir():
        os.utime(path, (1, 1))

    assert pack_bytes(one) == pack_bytes(other)


def test_name_mode_and_content_count(tmp_path):
    folder = write_folder(tmp_path, {**FILES, "notes": b"x"})
    hashes = [pack_bytes(folder)[1].hash]
    (folder / "notes").write_bytes(b"y")
    hashes.append(pack_bytes(folder)[1].hash)
    (folder / "notes").rename(folder / "note")
    hashes.append(pack_bytes(folder)[1].hash)
    if os.name == "posix":
        (folder / "note").chmod(0o755)
        hashes.append(pack_bytes(folder)[1].hash)

    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize(
    "name", [".git/HEAD", ".venv/bin/x", "src/__pycache__/a.pyc", "node_modules/a.js", "receipts/a"]
)
def test_files_left_by_programs_stay_out(tmp_path, name):
    before = pack_bytes(write_folder(tmp_path))

    write_folder(tmp_path, {name: b"more"})

    assert pack_bytes(tmp_path) == before


def test_outputs_stay_out_if_there_is_a_build_command(tmp_path):
    built = MANIFEST + b'build = "make"\n'
    plain = pack_bytes(write_folder(tmp_path / "plain", {**FILES, "dist/bot": b"x"}))[1]
    with_build = pack_bytes(write_folder(tmp_path / "built", {**FILES, "bot.toml": built, "dist/bot": b"x"}))[1]

    assert (plain.file_count, with_build.file_count) == (3, 2)


@posix
def test_link_is_refused_wherever_it_leads(tmp_path):
    for number, target in enumerate(("/etc/passwd", "bot.py", "missing", ".")):
        folder = write_folder(tmp_path / str(number))
        (folder / "link").symlink_to(target)

        assert refused_rule(folder) is Rule.LINK


@posix
def test_folder_that_becomes_a_link_is_not_followed(tmp_path, monkeypatch):
    """Whoever changes the folder while it is read gains nothing."""
    folder = write_folder(tmp_path / "bot", {**FILES, "inner/a": b"mine"})
    secret = write_folder(tmp_path / "secret", {"a": b"secret"})
    real_open = os.open

    def open_late(path: str, flags: int, *rest: int, **named: int | None) -> int:
        if path == "inner":
            (folder / "inner").rename(tmp_path / "gone")
            (folder / "inner").symlink_to(secret)
        return real_open(path, flags, *rest, **named)  # type: ignore[arg-type]  # passes on what it gets

    monkeypatch.setattr(os, "open", open_late)

    with pytest.raises(RequestError, match="inner cannot be read"):
        pack_bytes(folder)


@posix
def test_pipe_and_socket_are_refused_without_waiting(tmp_path):
    piped = write_folder(tmp_path / "piped")
    os.mkfifo(piped / "pipe")
    listening = write_folder(tmp_path / "l")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(listening / "socket"))

        assert (refused_rule(piped), refused_rule(listening)) == (Rule.SPECIAL_FILE, Rule.SPECIAL_FILE)


@posix
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1644])
def test_special_mode_is_refused(tmp_path, mode):
    write_folder(tmp_path)
    (tmp_path / "bot.py").chmod(mode)

    assert refused_rule(tmp_path) is Rule.SPECIAL_MODE


@posix
def test_name_that_is_not_utf_8_is_shown_as_bytes(tmp_path):
    write_folder(tmp_path, {**FILES, os.fsdecode(b"b\xe4r"): b""})

    with pytest.raises(PackageRefusedError, match=r"the path b'b\\xe4r' is not UTF-8"):
        pack_bytes(tmp_path)


@posix
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("two\nlines", Rule.NAME),
        ("\u202eyp.tob", Rule.NAME),
        ("c\u043eunter.py", Rule.NAME),
        ("back\\slash", Rule.NAME),
        (" space", Rule.NAME),
        ("e\u0301", Rule.NAME),
        (os.fsdecode(b"\xff"), Rule.NAME),
        ("a" * 101, Rule.NAME_TOO_LONG),
        ("/".join("a" * 17), Rule.NAME_TOO_LONG),
        ("BOT.py", Rule.LOOK_ALIKE),
        ("b\u00f6t.py", Rule.LOOK_ALIKE),
    ],
)
def test_name_that_people_cannot_read_is_refused(tmp_path, name, rule):
    assert refused_rule(write_folder(tmp_path, {**FILES, name: b""})) is rule


@pytest.mark.parametrize("name", ["李雷.py", "Zoë.txt", "[slug].ts", "@types/a.d.ts", "part-1", "part-l", ".env"])
def test_ordinary_name_is_accepted(tmp_path, name):
    assert pack_bytes(write_folder(tmp_path, {**FILES, "part-i": b"", name: b""}))[1].file_count == 4


def test_limits_are_exact(tmp_path):
    write_folder(tmp_path)
    size = sum(map(len, FILES.values()))

    assert pack_bytes(tmp_path, PackageLimits(files=2, unpacked_bytes=size))[1].file_count == 2
    assert refused_rule(tmp_path, PackageLimits(files=1)) is Rule.TOO_MANY_FILES
    assert refused_rule(tmp_path, PackageLimits(unpacked_bytes=size - 1)) is Rule.TOO_LARGE
    assert refused_rule(tmp_path, PackageLimits(archive_bytes=20)) is Rule.TOO_LARGE


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (b'name = "counter"', "`version` is missing: a package has a version"),
        (b'name = "counter"\nversion = "1@2"', "a package has a version"),
        (b'name = "counter"\nversion = "1"\ncommand = "node bot.js"', "`language` or `image` has to say"),
        (b'name = "counter"\nversion = "1"\nlanguage = "go"\ncommand = "./bot"', "the package has no program './bot'"),
        (b'name = "counter"\nversion = "1"\nlanguage = "go"\ncommand = "./bot.py"', "is not executable"),
    ],
)
def test_manifest_has_to_fit_the_package(tmp_path, manifest, text):
    write_folder(tmp_path, {**FILES, "bot.toml": manifest})

    with pytest.raises(PackageRefusedError, match=text) as refusal:
        pack_bytes(tmp_path)
    assert refusal.value.rule is Rule.MANIFEST


def test_missing_manifest_and_missing_script_are_refused(tmp_path):
    assert refused_rule(write_folder(tmp_path / "a", {"bot.py": b""})) is Rule.MANIFEST
    assert refused_rule(write_folder(tmp_path / "b", {"bot.toml": MANIFEST})) is Rule.MANIFEST


def test_every_fault_of_a_manifest_is_reported(tmp_path):
    write_folder(tmp_path, {**FILES, "bot.toml": b'name = "a#"\nversion = 3'})

    with pytest.raises(OptionsError) as refusal:
        pack_bytes(tmp_path)
    assert len(refusal.value.faults) == 2


def test_every_sample_is_a_package_as_it_is():
    """Also if it was built here: what its build has left is not in the package."""
    python = {path.parent for path in (SAMPLES / "python").glob("*/bot.py")}
    others = {path.parent for path in SAMPLES.glob("*/bot.toml")}
    assert len(python) > 5
    assert len(others) > 3

    for folder in python | others:
        archive, package = pack_bytes(folder)
        assert (package.manifest.name, package.manifest.version) == (folder.name, "1.0")
        assert len(archive) < 200_000, folder


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in SAMPLES.glob("*/bot.toml")), ids=lambda each: each.name
)
def test_samples_in_other_languages_are_packages(folder):
    _, package = pack_bytes(folder)

    assert (package.manifest.name, package.manifest.language) == (folder.name, folder.name)
    assert package.manifest.kept
    assert package.manifest.build


NAMES = st.text("abAB.-_", min_size=1, max_size=6).filter(lambda name: name.strip(".") != "")
TREES = st.dictionaries(st.lists(NAMES, min_size=1, max_size=4).map("/".join), st.binary(max_size=700), max_size=8)


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_unpacked_package_packs_to_the_same_archive(tmp_path_factory, tree):
    folder = tmp_path_factory.mktemp("tree")
    try:
        write_folder(folder, {**tree, **FILES})
    except OSError:
        return  # a file is also a folder, so it is no tree
    if len({name.casefold() for path in folder.rglob("*") for name in [str(path)]}) < len([*folder.rglob("*")]):
        return  # refused: names that differ in capitals alone
    archive, package = pack_bytes(folder)

    unpacked = unpack(io.BytesIO(archive), folder.with_name(folder.name + "-again"))

    assert unpacked == package
    assert pack_bytes(folder.with_name(folder.name + "-again")) == (archive, package)
