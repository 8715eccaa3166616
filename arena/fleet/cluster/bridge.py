"""The process that speaks to Ray for a runner, `python -P -m arena.fleet.cluster.bridge CALLS LINES`.

Both arguments are sockets: over the first it answers `ClusterCalls`, over the second it gets the line of each node. It
ends with its runner. It is a process of its own because Ray's driver writes to stdout, handles signals, and dies with
the raylet of this machine.
"""

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any, Final

import ray
from ray._private.services import canonicalize_bootstrap_address_or_die
from ray.exceptions import RayError

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.bot_hash import hash_bot
from arena.errors import EnvironmentFaultError
from arena.fleet.cluster.batches import BatchReader
from arena.fleet.cluster.calls import CLUSTER, NodePlace
from arena.fleet.cluster.machine import Machine
from arena.fleet.cluster.node_actor import NodeActor
from arena.fleet.cluster.programs import pack_program
from arena.fleet.runner.connection import Connection, StreamTransport
from arena.fleet.runner.fleet import BYTES_PER_BOT, FleetRoom, NodeEnd
from arena.plain_errors import PlainError, restore_error

_START_S: Final = 120.0
"""Seconds that a node waits for a core, and then takes to start."""
_END_S: Final = 15.0
"""Seconds that a node has to end before its actor is killed."""


class _ActorNode:
    """A node in an actor. Its line is carried until either end closes it or the actor is lost."""

    def __init__(self, actor: Any, line: socket.socket) -> None:
        self.actor = actor
        self.machine = ""
        self._line = line
        self._batches = BatchReader(line)
        self._is_given_up = asyncio.Event()
        self.ended: asyncio.Task[NodeEnd] | None = None

    async def open(self) -> NodePlace:
        """Raises EnvironmentFaultError."""
        opening = self.actor.open.remote(await asyncio.to_thread(Machine.describe))
        try:
            place: NodePlace = await _result_of(asyncio.wait_for(opening, _START_S))
        except BaseException as error:
            ray.kill(self.actor)
            self._line.close()
            if isinstance(error, TimeoutError):
                raise EnvironmentFaultError(f"the cluster had no room for a node for {_START_S:g} s") from error
            if isinstance(error, RayError):
                raise EnvironmentFaultError(f"the cluster could not start a node: {_last_line(error)}") from error
            raise
        self.machine = place.machine
        self.ended = asyncio.create_task(self._carry())
        return place

    async def place_program(self, program: BotProgram, content: str, archive: Any) -> BotProgram:
        """`archive` is its reference in the object store. Raises BotStartError, EnvironmentFaultError."""
        try:
            placed: BotProgram = await _result_of(self.actor.place.remote(program, sys.executable, content, archive))
        except RayError as error:
            self._is_given_up.set()
            raise EnvironmentFaultError(f"{program.name} did not reach {self.machine}") from error
        return placed

    async def _carry(self) -> NodeEnd:
        parts = (self._carry_there(), self._carry_back(), self._is_given_up.wait())
        tasks = [asyncio.create_task(each) for each in parts]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._line.close()
        end = NodeEnd("was lost", is_ours=False)
        with suppress(RayError, TimeoutError):
            end = await asyncio.wait_for(self.actor.wait_or_kill.remote(), _END_S)
        ray.kill(self.actor)
        return end

    async def _carry_there(self) -> None:
        while data := await self._batches.read():
            await self.actor.send.remote(data)

    async def _carry_back(self) -> None:
        while data := await self.actor.receive.remote():
            await asyncio.get_running_loop().sock_sendall(self._line, data)


class _Bridge:
    """Starts nodes as Ray actors, and joins each to its line. Implements `ClusterCalls`."""

    def __init__(self, lines: socket.socket) -> None:
        self._handed_over = lines
        self._lines: dict[int, socket.socket] = {}
        self._nodes: dict[int, _ActorNode] = {}
        self._archives: dict[str, Any] = {}
        """References in the object store, by content hash."""

    async def join(self, address: str) -> FleetRoom:
        try:
            found = canonicalize_bootstrap_address_or_die(address)  # for "auto", `init` itself may start a new cluster
            ray.init(address=found, log_to_driver=False, configure_logging=False)
        except (ConnectionError, ValueError, RuntimeError, RayError) as error:
            raise EnvironmentFaultError(f"there is no usable Ray cluster at {address}: {_last_line(error)}") from error
        free, machines = ray.available_resources(), [node for node in ray.nodes() if node["Alive"]]
        processes = max(1, int(free.get("memory", 0)) // 2 // BYTES_PER_BOT)
        return FleetRoom(len(machines), int(free.get("CPU", 0)), processes)

    async def start_node(self, number: int) -> NodePlace:
        while number not in self._lines:
            data, (descriptor,), _, _ = socket.recv_fds(self._handed_over, 8, 1)
            self._lines[int.from_bytes(data)] = socket.socket(fileno=descriptor)
        options = ray.remote(NodeActor).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        node = _ActorNode(options.remote(), self._lines.pop(number))
        place = await node.open()
        self._nodes[number] = node
        return place

    async def place_program(self, number: int, program: BotProgram) -> BotProgram:
        content = await asyncio.to_thread(hash_bot, program)
        if content not in self._archives:
            self._archives[content] = ray.put(await asyncio.to_thread(pack_program, program))
        return await self._nodes[number].place_program(program, content, self._archives[content])

    async def wait_for_end(self, number: int) -> NodeEnd:
        ended = self._nodes[number].ended
        assert ended is not None, "only started nodes are known"
        return await asyncio.shield(ended)


async def _result_of(reply: Any) -> Any:
    """Return the result of an actor's call. Raises what the actor returns as an error, and RayError."""
    result = await reply
    if isinstance(result, PlainError):
        raise restore_error(result)
    return result


def _last_line(error: Exception) -> str:
    """Return the last line of a Ray error: traces come before it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


async def _serve() -> None:
    calls, lines = (socket.socket(fileno=int(word)) for word in sys.argv[1:])
    connection = Connection(StreamTransport(*await asyncio.open_connection(sock=calls)))
    await connection.run(CLUSTER.handlers(_Bridge(lines)))
    ray.shutdown()


if __name__ == "__main__":
    asyncio.run(_serve())
