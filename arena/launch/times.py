"""How long processes have run and have waited for a core, as Linux accounts for it; elsewhere nobody knows.

Source: the kernel's documentation, "Scheduler Statistics" (`/proc/PID/schedstat`), and proc(5) for the state.
"""

from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class Spent(NamedTuple):
    """What a process has spent since it began, over all threads that it has now, microseconds."""

    state: str
    """Of its first thread: R, S, D, T, Z …"""
    ran_us: int
    waited_us: int
    """Ready to run, while others had the cores."""


def time_spent(pid: int) -> Spent | None:
    """Read how a process has spent its time; None where there is none, or no such account is kept."""
    folder = _PROC / str(pid)
    try:
        state = _state(folder)
        spent = [_thread(thread / "schedstat") for thread in (folder / "task").iterdir()]
    except (OSError, ValueError, IndexError):
        return None
    return Spent(state, sum(ran for ran, _ in spent) // 1000, sum(waited for _, waited in spent) // 1000)


def _state(folder: Path) -> str:
    """Behind the name, which stands in brackets and may hold anything."""
    return (folder / "stat").read_text(errors="replace").rpartition(") ")[2][0]


def _thread(path: Path) -> tuple[int, int]:
    """Nanoseconds on a core and in a queue; nothing of a thread that has just ended."""
    try:
        ran, waited, _ = path.read_bytes().split()
    except FileNotFoundError:
        return 0, 0
    return int(ran), int(waited)
