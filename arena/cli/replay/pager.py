"""Shows text that is longer than the screen in the user's pager."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

_DEFAULT_PAGERS: Final = ("less", "more")
_LESS_OPTIONS: Final = "FRX"
"""Quit if the text fits the screen, show colours, leave the text on the screen. The variable `LESS` replaces this."""


def needs_pager(line_count: int) -> bool:
    """Return whether stdout is a terminal whose screen is too small for this many lines."""
    return sys.stdout.isatty() and line_count >= shutil.get_terminal_size().lines


def page_text(text: str) -> bool:
    """Show a text in the pager, and return whether there is one.

    The pager is the command in `PAGER`, or else `less` or `more`. `PAGER=cat` or an empty `PAGER` means no pager.
    """
    command = _find_pager()
    if not command:
        return False
    sys.stdout.flush()
    environment = {"LESS": _LESS_OPTIONS, **os.environ}
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)  # noqa: S603  the user's own choice
    except OSError:  # the pager has gone, or is no program
        return False
    try:
        with suppress(BrokenPipeError):  # the user has left the pager before the end
            process.communicate(text.encode(errors="backslashreplace"))
    finally:
        while process.poll() is None:
            with suppress(KeyboardInterrupt):  # Ctrl-C is for the pager
                process.wait()
    return True


def _find_pager() -> Sequence[str]:
    """Return the command of the pager; empty if there is none."""
    chosen = os.environ.get("PAGER")
    if chosen is None:
        found = next(filter(None, map(shutil.which, _DEFAULT_PAGERS)), "")
        return [found] if found and os.environ.get("TERM") != "dumb" else []
    try:
        words = shlex.split(chosen)
    except ValueError:  # a quote is not closed
        return []
    return [] if words == ["cat"] or not words or shutil.which(words[0]) is None else words
