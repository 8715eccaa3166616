"""What makes a box, Bubblewrap or a container engine: whose it is, its exit code, its children, and what it reads.

Control groups and containers have names that say which process of an arena has made them. So an arena finds what a
killed one has left behind, and leaves alone what belongs to one that runs.
"""

import contextlib
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "cheatarena-"
"""How the names begin."""
_NUMBERS: Final = itertools.count(1)
_SIGNALLED: Final = 128
"""Bubblewrap and container engines report a signal, as a shell does, as this number and that of the signal."""

HOST_OUT_OF_MEMORY: Final = (
    "was killed because this host had no memory left for its boxes; the program itself kept to its limit"
)


def make_name() -> str:
    """Return a new name that belongs to this process.

    >>> is_abandoned(make_name()), is_abandoned("cheatarena-4194305-7-1"), is_abandoned("cheatarena-boxes")
    (False, True, False)
    """
    return f"{PREFIX}{os.getpid()}-{_start_time_of(os.getpid())}-{next(_NUMBERS)}"


def is_abandoned(name: str) -> bool:
    """Return whether a name belongs to a process that has ended, even if another process has its id now."""
    pid, _, rest = name.removeprefix(PREFIX).partition("-")
    has_owner = name.startswith(PREFIX) and pid.isdecimal()
    return has_owner and _start_time_of(int(pid)) != rest.partition("-")[0]


def _start_time_of(pid: int) -> str:
    """Return when a process started, in ticks since the boot, as text; empty if there is no such process."""
    with contextlib.suppress(OSError, IndexError):
        # the name in brackets may contain any character; the start time is field 22 of proc(5)
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()[19]
    return ""


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
