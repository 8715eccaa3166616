"""`arena pack`: what it prints and writes, and that a refusal writes nothing."""

import os

import pytest

from arena.bots.packages.unpacking import check_archive
from arena.cli.exit_codes import ExitCode
from tests.support.archives import FILES, write_folder
from tests.support.commands import run_arena


def test_package_is_written_and_described(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = write_folder(tmp_path / "bot")

    result = run_arena(capsys, "pack", folder)

    assert result.code == ExitCode.YES, result.err
    with (tmp_path / "counter-1.0.tar.gz").open("rb") as archive:
        package = check_archive(archive)
    assert [line.split()[0] for line in result.out.splitlines()] == [
        "name", "version", "files", "bytes", "hash", "archive"
    ]  # fmt: skip
    assert package.hash in result.out
    assert result.err == "its bot.toml names no `pools`, so it will play only in leagues\n"


def test_output_may_be_elsewhere_and_is_the_same_each_time(capsys, tmp_path):
    folder = write_folder(tmp_path / "bot")
    told = [run_arena(capsys, "pack", folder, "--output", tmp_path / name, "--json").json for name in ("a", "b")]

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert told[0] | {"archive": ""} == told[1] | {"archive": ""}
    assert (told[0]["name"], told[0]["version"], told[0]["files"]) == ("counter", "1.0", 2)


def test_archive_never_becomes_a_part_of_the_next_package(capsys, tmp_path, monkeypatch):
    """Otherwise the second `arena pack .` would give another package, with the first one in it."""
    folder = write_folder(tmp_path / "bot")
    monkeypatch.chdir(folder)

    result = run_arena(capsys, "pack", ".")

    assert result.code == ExitCode.USAGE
    assert "counter-1.0.tar.gz would be in the next package of .: name an --output outside of it" in result.err
    assert not (folder / "counter-1.0.tar.gz").exists()
    assert run_arena(capsys, "pack", ".", "--output", "../counter.tar.gz").code == ExitCode.YES


def test_folder_that_cannot_be_looked_into_is_said(capsys, tmp_path):
    result = run_arena(capsys, "pack", tmp_path / ("x" * 300))

    assert (result.code, len(result.err.strip().splitlines())) == (ExitCode.USAGE, 1)
    assert "cannot be read: File name too long" in result.err


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({}, "there is no bot.toml in the folder"),
        ({**FILES, "bot.toml": b"name = "}, "expected TOML"),
        ({**FILES, "bot.toml": b'name = "a"\nversion = "1"\nresources = {memory_mb = 1}'}, "resources.memory_mb"),
        ({**FILES, "a\nb": b""}, "has characters that are not shown"),
    ],
)
def test_refused_package_writes_nothing(capsys, tmp_path, monkeypatch, files, text):
    if os.name != "posix" and any("\n" in name for name in files):
        pytest.skip("only POSIX has such names")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot").mkdir()
    write_folder(tmp_path / "bot", files)

    result = run_arena(capsys, "pack", "bot")

    assert (result.code, len(result.err.strip().splitlines())) == (ExitCode.USAGE, 1)
    assert text in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


def test_folder_that_is_missing_is_said(capsys, tmp_path):
    result = run_arena(capsys, "pack", tmp_path / "missing")

    assert (result.code, result.err) == (ExitCode.USAGE, f"arena: there is no folder {tmp_path / 'missing'}\n")


def test_output_that_cannot_be_written_is_said(capsys, tmp_path):
    folder = write_folder(tmp_path / "bot")

    result = run_arena(capsys, "pack", folder, "--output", tmp_path / "missing" / "a")

    assert result.code == ExitCode.UNSTEADY
    assert "cannot be written: No such file or directory" in result.err
