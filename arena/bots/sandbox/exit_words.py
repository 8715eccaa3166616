"""What the exit code of a program that makes boxes says about the program inside."""

import contextlib
import signal
from typing import Final

_SIGNALLED: Final = 128
"""Bubblewrap and container engines report a signal, as a shell does, as this number and that of the signal."""

HOST_OUT_OF_MEMORY: Final = (
    "was killed because this host had no memory left for its boxes; the program itself kept to its limit"
)


def is_killed(code: int) -> bool:
    """Return whether SIGKILL ended the program, as it does when memory runs out."""
    return code == _SIGNALLED + signal.SIGKILL


def describe_signal(code: int) -> str | None:
    """Return which signal killed the program, as words that follow its name; None if none did."""
    with contextlib.suppress(ValueError):
        if code > _SIGNALLED:
            return f"was killed by {signal.Signals(code - _SIGNALLED).name}"
    return None
