"""Prints a replay. On a terminal, what is longer than the screen is shown in the user's pager."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from arena.cli.present import Styled, as_rich, print_lines

_DEFAULT_PAGERS: Final = ("less", "more")
_LESS_OPTIONS: Final = "FRX"
"""Quit if the text fits the screen, show colours, leave the text on the screen. The variable `LESS` replaces this."""


def print_replay(lines: Iterable[Styled], *, is_paged: bool) -> None:
    """Print a replay. On a terminal that is too small for it, show it in a pager if `is_paged`."""
    if not is_paged or not sys.stdout.isatty():
        print_lines(lines)
        return
    from arena.cli.result_console import stdout_console

    lines, console = list(lines), stdout_console()
    with console.capture() as captured:
        for line in lines:
            console.print(as_rich(line), soft_wrap=True)
    if len(lines) < shutil.get_terminal_size().lines or not page_text(captured.get()):
        sys.stdout.write(captured.get())


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
    """Empty if there is none."""
    chosen = os.environ.get("PAGER")
    if chosen is None:
        found = next(filter(None, map(shutil.which, _DEFAULT_PAGERS)), "")
        return [found] if found and os.environ.get("TERM") != "dumb" else []
    try:
        words = shlex.split(chosen)
    except ValueError:  # a quote is not closed
        return []
    return [] if words == ["cat"] or not words or shutil.which(words[0]) is None else words
