"""What a runner knows of its fleet, which starts its nodes on this machine or elsewhere."""

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.bots.launch.programs import BotProgram


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
        """Return a program as the node's machine has it.

        Raises BotStartError if it cannot run there, and LineCutError if the machine has gone.
        """

    async def wait_or_kill(self) -> NodeEnd:
        """Wait for the node's end after its line was closed, and kill it if that takes too long."""


class Fleet(Protocol):
    async def start_node(self) -> StartedNode:
        """Raises EnvironmentFaultError if there is no place for a node."""
