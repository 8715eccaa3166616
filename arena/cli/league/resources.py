"""What a league may use of the machine: nodes, bot processes, a port."""

import os
from typing import Final, NamedTuple

_BYTES_PER_BOT: Final = 100 << 20
"""What a bot process is taken to need where nothing else is known."""
_MIN_PROCESSES: Final = 16


class Resources(NamedTuple):
    """With what a league is played."""

    nodes: int | None
    """None: as many as there are cores."""
    processes: int | None
    """Of bots at most; None: as many as memory allows."""
    port: int


def max_processes_for_memory() -> int:
    """How many bots half of the machine's memory has room for."""
    if not hasattr(os, "sysconf"):
        return _MIN_PROCESSES
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_MIN_PROCESSES, memory // 2 // _BYTES_PER_BOT)
