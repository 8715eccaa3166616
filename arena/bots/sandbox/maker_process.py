"""The process that makes a box, Bubblewrap or a container engine: its exit code, its children, and what it reads."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_SIGNALLED: Final = 128
"""Bubblewrap and container engines report a signal, as a shell does, as this number and that of the signal."""

HOST_OUT_OF_MEMORY: Final = (
    "was killed because this host had no memory left for its boxes; the program itself kept to its limit"
)


def is_killed(code: int) -> bool:
    """Return whether SIGKILL ended the program inside, as it does when memory runs out."""
    return code == _SIGNALLED + signal.SIGKILL


def describe_signal(code: int) -> str | None:
    """Return which signal killed the program inside, as words that follow its name; None if none did."""
    with contextlib.suppress(ValueError):
        if code > _SIGNALLED:
            return f"was killed by {signal.Signals(code - _SIGNALLED).name}"
    return None


def hold_data(data: bytes) -> int:
    """Return a descriptor from which a program can read data in memory once. The caller closes it."""
    descriptor = os.memfd_create("box")
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def children_of(pid: int) -> Iterator[int]:
    """Yield the children of a process that its first thread started, oldest first."""
    with contextlib.suppress(OSError, ValueError):
        yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split())
