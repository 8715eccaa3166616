"""The options that limit how much of the machine a league uses: nodes, bot processes, a port."""

import os
from dataclasses import dataclass
from typing import Annotated, Final

import typer

_BYTES_PER_BOT: Final = 100 << 20
"""Assumed memory of a bot process."""
_MIN_PROCESSES: Final = 16


ProcessesOption = Annotated[
    int | None,
    typer.Option("--max-bot-processes", min=1, help="Maximum number of bot processes. Default: as memory allows."),
]


@dataclass(frozen=True, slots=True)
class Resources:
    """The options that limit how much of the machine a league uses."""

    nodes: Annotated[int | None, typer.Option(min=1, help="Server processes. Default: one per core.")] = None
    max_bot_processes: ProcessesOption = None
    port: Annotated[int, typer.Option(help="Port for remote bots; 0: any free port.")] = 0


def max_processes_for_memory() -> int:
    """Return how many bots fit into half of the machine's memory."""
    if not hasattr(os, "sysconf"):
        return _MIN_PROCESSES
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_MIN_PROCESSES, memory // 2 // _BYTES_PER_BOT)
