"""Commands in messages are written as the user typed the program, so that they can be pasted."""

import os
import sys

import pytest

from arena.typed_command import arena_command, python_command


@pytest.fixture
def type_program(monkeypatch, tmp_path):
    """Return a function that pretends that this process was started by a program typed as given.

    The folder `bin` below the test's folder is the PATH, and it has a program `arena`.
    """
    program = tmp_path / "bin" / "arena"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return lambda typed: monkeypatch.setattr(sys, "argv", [str(typed), "match"])


@pytest.mark.parametrize("typed", [".venv/bin/arena", "./arena", "/opt/arena/bin/arena"])
def test_program_is_written_as_it_was_typed(type_program, typed):
    type_program(typed)

    assert arena_command("replay", "show", "01AB") == f"{typed} replay show 01AB"


@pytest.mark.skipif(os.name != "posix", reason="the PATH is otherwise searched by extension")
def test_program_from_the_path_is_written_without_its_folder(type_program, tmp_path):
    """The shell hands over the whole path, but the user typed only the name."""
    type_program(tmp_path / "bin" / "arena")

    assert arena_command("match", "--help") == "arena match --help"


def test_program_that_has_imported_the_arena_is_not_suggested(type_program):
    type_program("/opt/bin/pytest")

    assert arena_command("rules", "list") == "arena rules list"


def test_each_word_can_be_pasted(type_program):
    type_program("my tools/arena")

    assert arena_command("replay", "show", "--data", "a b") == "'my tools/arena' replay show --data 'a b'"


# ---- the Python beside it


def make_python(folder):
    python = folder / "python"
    python.touch(mode=0o755)
    return python


def test_python_of_a_typed_path_is_the_one_beside_it(type_program, tmp_path):
    typed = tmp_path / "my env" / "arena"
    typed.parent.mkdir()
    make_python(typed.parent)
    type_program(typed)

    assert python_command("-m", "pytest", "test it.py") == f"'{typed.parent}/python' -m pytest 'test it.py'"


@pytest.mark.skipif(os.name != "posix", reason="the PATH is otherwise searched by extension")
def test_python_of_the_path_is_written_without_its_folder(type_program, monkeypatch, tmp_path):
    type_program(tmp_path / "bin" / "arena")
    monkeypatch.setattr(sys, "executable", str(make_python(tmp_path / "bin")))

    assert python_command("-m", "pytest") == "python -m pytest"


def test_python_is_a_whole_path_if_the_shell_would_find_another_one(type_program, tmp_path):
    make_python(tmp_path / "bin")
    type_program(tmp_path / "bin" / "arena")

    assert python_command("-V") == f"{sys.executable} -V"
