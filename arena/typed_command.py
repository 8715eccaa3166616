"""Writes the commands that messages suggest, with `arena` in the form in which the user typed it."""

import os
import shlex
import shutil
import sys
from pathlib import PurePath
from typing import Final

PROGRAM: Final = "arena"


def arena_command(*words: object) -> str:
    """Return a command line of `arena` that can be pasted into the user's shell. Words are quoted where necessary.

    The program is written as the user typed it, for example `.venv/bin/arena`, and as `arena` if the shell found it on
    the PATH. In a process that no `arena` command started, it is `arena` too.
    """
    return " ".join([shlex.quote(_typed_program()), *(shlex.quote(str(word)) for word in words)])


def _typed_program() -> str:
    typed = sys.argv[0]
    if PurePath(typed).stem != PROGRAM:  # a test, or a program that has imported the arena
        return PROGRAM
    found = shutil.which(PROGRAM)  # a shell hands over the whole path of what it finds on the PATH
    return PROGRAM if found is not None and os.path.normpath(found) == os.path.normpath(typed) else typed
