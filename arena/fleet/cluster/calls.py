"""Declares the calls from a runner to the bridge of its cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.fleet import FleetRoom, NodeEnd
from arena.fleet.runner.service import Service


@dataclass(frozen=True, slots=True)
class NodePlace:
    machine: str
    """Its address in the cluster."""
    folder: Path
    """The data folder of the node, on that machine."""


class ClusterCalls(Protocol):
    async def join(self, address: str) -> FleetRoom:
        """Raises EnvironmentFaultError if there is no cluster at this address that this machine can use."""

    async def start_node(self, number: int) -> NodePlace:
        """Start a node on a free core. The socket with this number, which was handed over before, is its line.

        Raises EnvironmentFaultError if there is no room, or if the machine has another arena, Python or processor.
        """

    async def place_program(self, number: int, program: BotProgram) -> BotProgram:
        """Return the program as the machine of a node has it.

        Raises BotStartError if it cannot be sent there, cannot run there, or is no longer the same.
        """

    async def wait_for_end(self, number: int) -> NodeEnd:
        """Wait until a node has ended, after its line was closed."""


CLUSTER: Final = Service(ClusterCalls)
