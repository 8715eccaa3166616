"""Says why a bot's program ended by itself, from its exit code and its last lines."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram

SCAN_LINES: Final = 60
"""How many of a program's last lines are searched for a traceback."""
NO_RUN_TEXT: Final = "ended at once; is `run(YourBot)` its last line?"

_PLACE: Final = re.compile(r'\s+File "(?P<file>.+)", line (?P<line>\d+)')
_ERROR: Final = re.compile(r"[A-Za-z_][\w.]*(?:: .*)?")


def describe_early_end(program: BotProgram, how: str, code: int) -> str:
    """Return how a program ended before it connected, as words that follow its name.

    `how` is what its exit code says. A Python program that ends without an error has probably not called `run`.
    """
    is_python = any(word.endswith(".py") for word in program.command)
    if code == 0:
        return NO_RUN_TEXT if is_python else f"{how}, before it connected"
    return how


def find_python_error(lines: Sequence[str], folder: Path) -> str:
    """Return the last error of a Python traceback with its place: "ValueError: no cards (bot.py:12)".

    The place is the innermost one in `folder`, or else the innermost one of all. The text is empty if there is no
    traceback.
    """
    places = [index for index, line in enumerate(lines) if _PLACE.match(line)]
    if not places:
        return ""
    error = next((line for line in lines[places[-1] + 1 :] if _ERROR.fullmatch(line)), "")
    if not error:
        return ""
    found = [_PLACE.match(lines[index]) for index in places]
    known = [(Path(each["file"]), each["line"]) for each in found if each is not None]
    file, line = next((each for each in reversed(known) if each[0].is_relative_to(folder)), known[-1])
    return f"{error} ({file.name}:{line})"
