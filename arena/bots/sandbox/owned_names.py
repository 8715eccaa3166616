"""Names of control groups and containers that say which process of an arena has made them.

So an arena finds what a killed one has left behind, and leaves alone what belongs to one that runs.
"""

import contextlib
import itertools
import os
from pathlib import Path
from typing import Final

PREFIX: Final = "cheatarena-"
"""How the names begin."""
_NUMBERS: Final = itertools.count(1)


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
