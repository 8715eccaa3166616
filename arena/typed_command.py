"""Writes the commands that messages suggest, with `arena` in the form in which the user typed it."""

import os
import shlex
import shutil
import sys
from pathlib import PurePath
from typing import Final

PROGRAM: Final = "arena"
_PYTHONS: Final = ("python", "python3")


def arena_command(*words: object) -> str:
    """Return a command line of `arena` that can be pasted into the user's shell. Words are quoted where necessary.

    The program is written as the user typed it, for example `.venv/bin/arena`, and as `arena` if the shell found it on
    the PATH. In a process that no `arena` command started, it is `arena` too.
    """
    return " ".join([shlex.quote(_typed_program()), *(shlex.quote(str(word)) for word in words)])


def plain_command(*words: object) -> str:
    """Return a command line of `arena` for readers on other machines: it tells nothing about this one.

    >>> plain_command("pack", "FOLDER")
    'arena pack FOLDER'
    """
    return shlex.join([PROGRAM, *map(str, words)])


def python_command(*words: object) -> str:
    """Return a command line of the Python that runs this program, written to fit `arena_command`.

    If `arena` was typed as a path, it is the Python of the same folder, for example `.venv/bin/python`. If the shell
    found `arena` on the PATH, it is `python` or `python3` if the shell finds the one beside it. Otherwise it is the
    whole path.
    """
    return " ".join([shlex.quote(_typed_python()), *(shlex.quote(str(word)) for word in words)])


def _typed_python() -> str:
    typed = PurePath(_typed_program())
    if len(typed.parts) > 1:
        beside = [str(typed.with_name(name)) for name in _PYTHONS]
        return next((each for each in beside if os.access(each, os.X_OK)), sys.executable)
    folder = os.path.dirname(sys.executable)  # noqa: PTH120  the folder must not be resolved
    found = [name for name in _PYTHONS if (path := shutil.which(name)) and os.path.dirname(path) == folder]  # noqa: PTH120  as above
    return found[0] if found else sys.executable


def _typed_program() -> str:
    typed = sys.argv[0]
    if PurePath(typed).stem != PROGRAM:  # a test, or a program that has imported the arena
        return PROGRAM
    found = shutil.which(PROGRAM)  # a shell hands over the whole path of what it finds on the PATH
    return PROGRAM if found is not None and os.path.normpath(found) == os.path.normpath(typed) else typed
