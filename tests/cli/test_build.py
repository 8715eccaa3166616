"""`arena build`: the build commands of bots, and nothing else of them."""

import sys
from pathlib import Path

import pytest

from tests.support.commands import run_arena

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the builds are for sh")


def manifest(folder: Path, build: str) -> Path:
    """Write a bot whose program fails if it is started, and return its folder."""
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "{folder.name}"\ncommand = "false"\nbuild = "{build}"\n')
    return folder


def test_each_bot_is_built_and_none_is_started(capsys, tmp_path: Path):
    one, two = (manifest(tmp_path / name, "touch built") for name in ("one", "two"))

    ended = run_arena(capsys, "build", one, two, "--data", tmp_path / "data")

    assert ended.code == 0, ended
    assert (one / "built").exists()
    assert (two / "built").exists()
    assert "building one" in ended.err


def test_failing_build_is_named(capsys, tmp_path: Path):
    ended = run_arena(capsys, "build", manifest(tmp_path / "one", "false"), "--data", tmp_path / "data")

    assert ended.code == 3
    assert "the build of one ended with exit code 1" in ended.err


def test_missing_bot_is_named(capsys, tmp_path: Path):
    assert run_arena(capsys, "build", tmp_path / "nowhere.py", "--data", tmp_path / "data").code == 3
