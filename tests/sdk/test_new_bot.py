"""`python -m cheatarena new` writes a bot that passes its own test, and never overwrites anything."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import arena
import cheatarena
from arena.bots.launch.manifest import read_manifest
from arena.practice import play
from cheatarena import SettingsError
from cheatarena.new_bot import write_new_bot

ROOT = Path(__file__).parents[2]


def run_new(folder, *words):
    command = [sys.executable, "-m", "cheatarena", "new", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_command_writes_three_files_and_names_the_next_two_commands(tmp_path):
    done = run_new(tmp_path, "my-bot")

    assert done.returncode == 0, done.stderr
    assert {each.name for each in (tmp_path / "my-bot").iterdir()} == {"bot.py", "bot.toml", "test_bot.py"}
    _, test, match = done.stdout.splitlines()
    assert test.strip() == f"{sys.executable} -m pytest my-bot"
    assert "arena match --bot my-bot/" in match


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "mybot").mkdir()
    (tmp_path / "mybot" / "bot.py").write_text("mine")
    done = run_new(tmp_path, "mybot")

    assert done.returncode == 64
    assert done.stderr == "mybot exists already: choose another name, or remove it first\n"
    assert (tmp_path / "mybot" / "bot.py").read_text() == "mine"
    assert [each.name for each in (tmp_path / "mybot").iterdir()] == ["bot.py"]


@pytest.mark.parametrize("name", ["Bot", "1st", "a b", "a-", "..", "ä", "x" * 33, "class/../../x y"])
def test_names_that_are_none_are_refused(tmp_path, name):
    with pytest.raises(SettingsError, match="is no name for a bot"):
        write_new_bot(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    done = run_new(tmp_path, "missing/mybot")

    assert done.returncode == 64
    assert done.stderr == "missing/mybot cannot be written: No such file or directory\n"


def test_new_bot_plays_and_its_manifest_is_valid(tmp_path):
    files = write_new_bot(tmp_path / "my-bot")
    space: dict[str, Any] = {"__name__": "bot"}
    exec(files[0].read_text(encoding="utf-8"), space)

    assert read_manifest(files[1]).name == "my-bot"
    assert sorted(play([space["MyBot"]] * 3, seed=1).places[0]) == [1, 2, 3]


@pytest.mark.parametrize(("module", "project"), [(cheatarena, "sdk/pyproject.toml"), (arena, "pyproject.toml")])
def test_version_is_that_of_the_distribution(module, project):
    assert module.__version__ == tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.slow
def test_reference_has_a_page_for_each_module_that_an_author_imports(tmp_path):
    done = subprocess.run(
        ["make", "-s", "-o", "setup", "reference", f"REFERENCE_OUT={tmp_path}"],
        cwd=ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    first = (tmp_path / "cheatarena.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in first for name in cheatarena.__all__ if name != "__version__")
    assert "plausible_lies" in first
    assert 'id="Attack"' in (tmp_path / "cheatarena" / "cheater.html").read_text(encoding="utf-8")
