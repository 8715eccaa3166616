"""What a runner knows of its fleet, which starts its nodes on this machine or elsewhere."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from arena.bots.launch.programs import BotProgram

BYTES_PER_BOT: Final = 100 << 20
"""Assumed memory of a bot process."""
_MIN_PROCESSES: Final = 16


def count_usable_cores() -> int:
    """Return 1 if nodes cannot be started."""
    if os.name != "posix":  # a node inherits the socket of its connection
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def max_processes_for_memory() -> int:
    """Return how many bots fit into half of the machine's memory."""
    if not hasattr(os, "sysconf"):
        return _MIN_PROCESSES
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_MIN_PROCESSES, memory // 2 // BYTES_PER_BOT)


@dataclass(frozen=True, slots=True)
class FleetRoom:
    """What the machines of a fleet have to spare."""

    machines: int
    cores: int
    """Whole cores, for a node each."""
    max_processes: int
    """How many bots fit into half of the memory."""


@dataclass(frozen=True, slots=True)
class NodeEnd:
    """How a node ended."""

    how: str
    """Predicate that follows the node's name: "was killed by SIGKILL"."""
    is_ours: bool
    """Whether a bug in the arena ended it, rather than something outside."""


class StartedNode(Protocol):
    """A node that runs `node_main`."""

    @property
    def line(self) -> socket.socket:
        """The runner's end of a byte stream to it, whose end means that the node has gone. It belongs to the caller."""

    @property
    def machine(self) -> str:
        """The machine's name for people; empty for that of the runner."""

    @property
    def folder(self) -> Path | None:
        """The data folder of a node that cannot reach that of its runner; None if they share it."""

    async def place(self, program: BotProgram) -> BotProgram:
        """Return a program as the node's machine has it. If it has private files, so it has there.

        Raises BotStartError if it cannot run there, and LineCutError if the machine has gone.
        """

    async def wait_or_kill(self) -> NodeEnd:
        """Wait for the node's end after its line was closed, and kill it if that takes too long."""


class Fleet(Protocol):
    @property
    def room(self) -> FleetRoom: ...

    @property
    def is_away(self) -> bool:
        """Whether its nodes may be on other machines. Then another one may come in place of one that was lost."""

    async def start_node(self) -> StartedNode:
        """Raises EnvironmentFaultError if there is no place for a node."""
