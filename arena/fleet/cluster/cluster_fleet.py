"""The nodes of a runner on a Ray cluster, as the runner sees them. Loads no Ray: the bridge does."""

import asyncio
import importlib.metadata
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final

from arena.bots.launch.programs import BotProgram
from arena.errors import EnvironmentFaultError, NotInstalledError, OptionError
from arena.fleet.cluster.calls import CLUSTER, ClusterCalls
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.connection import Connection, LineCutError, StreamTransport
from arena.fleet.runner.fleet import Fleet, FleetRoom, NodeEnd
from arena.fleet.runner.node_process import OWN_FLEET

OLDEST_RAY: Final = (2, 60)
_JOIN_S: Final = 60.0
"""Seconds in which the bridge has to reach the cluster."""
_CLOSE_S: Final = 10.0
"""Seconds that the bridge has to take leave of Ray. Then it is killed."""
_NUMBER_BYTES: Final = 8


class ClusterNode:
    """A node on some machine of the cluster. Implements `StartedNode`."""

    def __init__(self, bridge: ClusterCalls, number: int, line: socket.socket, machine: str, folder: Path) -> None:
        self._bridge = bridge
        self._number = number
        self.line = line
        self.machine = machine
        self.folder = folder

    async def place(self, program: BotProgram) -> BotProgram:
        try:
            return await self._bridge.place_program(self._number, program)
        except EnvironmentFaultError as error:
            raise LineCutError(str(error)) from error

    async def wait_or_kill(self) -> NodeEnd:
        try:
            return await self._bridge.wait_for_end(self._number)
        except LineCutError:
            return NodeEnd("was lost with the process that speaks to Ray", is_ours=False)


class ClusterFleet:
    """Starts nodes on a Ray cluster. Implements `Fleet`."""

    is_away = True

    def __init__(self, bridge: ClusterCalls, lines: socket.socket, room: FleetRoom) -> None:
        self.room = room
        self._bridge = bridge
        self._lines = lines
        self._numbers = count(1)

    async def start_node(self) -> ClusterNode:
        """Raises EnvironmentFaultError."""
        number = next(self._numbers)
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._lines, [number.to_bytes(_NUMBER_BYTES)], [theirs.fileno()])
            place = await self._bridge.start_node(number)
        except OSError as error:
            ours.close()
            raise EnvironmentFaultError("the process that speaks to Ray has ended") from error
        except BaseException:
            ours.close()
            raise
        return ClusterNode(self._bridge, number, ours, place.machine, place.folder)


@asynccontextmanager
async def open_fleet(address: str) -> AsyncIterator[Fleet]:
    """Use this machine, or the cluster at an address as `open_cluster` does. Raises what that raises."""
    if not address:
        yield OWN_FLEET
        return
    async with open_cluster(address) as fleet:
        yield fleet


def check_for_cluster(address: str, bots: Iterable[BotEntrant], *, are_more_boxed: bool = False) -> None:
    """Raise OptionError if there is a cluster at `address` that cannot have one of these bots.

    `are_more_boxed` says whether further bots may come that run in boxes.
    """
    if not address:
        return
    bots = tuple(bots)
    if any(bot.is_remote for bot in bots):
        raise OptionError("cluster", address, "bots that connect by themselves (`remote:NAME`) reach no node of it")
    if are_more_boxed or any(bot.is_boxed for bot in bots):
        raise OptionError("cluster", address, "submitted and untrusted bots need boxes, which only this machine has")


@asynccontextmanager
async def open_cluster(address: str) -> AsyncIterator[ClusterFleet]:
    """Use the cluster at an address, HOST:PORT, or "auto" for that of this machine. On exit, leave it.

    Raises NotInstalledError if Ray is missing or too old, and EnvironmentFaultError if there is no such cluster or it
    has no free core.
    """
    _check_ray()
    calls, their_calls = socket.socketpair()
    lines, their_lines = socket.socketpair()
    with lines:
        with their_calls, their_lines:
            popen = _start_bridge(their_calls.fileno(), their_lines.fileno())
        connection = Connection(StreamTransport(*await asyncio.open_connection(sock=calls)))
        listening = asyncio.create_task(connection.run({}))
        try:
            bridge = CLUSTER.client(connection)
            yield ClusterFleet(bridge, lines, await _join(bridge, address))
        finally:
            connection.close()
            await asyncio.gather(listening, return_exceptions=True)
            await asyncio.to_thread(_end, popen)


async def _join(bridge: ClusterCalls, address: str) -> FleetRoom:
    """Raises EnvironmentFaultError."""
    try:
        room = await asyncio.wait_for(bridge.join(address), _JOIN_S)
    except TimeoutError as error:
        raise EnvironmentFaultError(f"no Ray cluster answered at {address} within {_JOIN_S:g} s") from error
    except LineCutError as error:
        raise EnvironmentFaultError(f"the process that speaks to the Ray cluster at {address} has ended") from error
    if room.cores < 1:
        raise EnvironmentFaultError(f"the Ray cluster at {address} has no free core for a node")
    return room


def _check_ray() -> None:
    """Raise NotInstalledError."""
    wanted = "install cheatarena-server[cluster]"
    try:
        version = importlib.metadata.version("ray")
    except importlib.metadata.PackageNotFoundError:
        raise NotInstalledError(f"a cluster needs Ray: {wanted}") from None
    if tuple(map(int, version.split(".")[:2])) < OLDEST_RAY:
        raise NotInstalledError(f"Ray {version} is too old: {wanted}")


def _start_bridge(calls: int, lines: int) -> subprocess.Popen[bytes]:
    """Ray keeps its own log, so what it writes here is dropped."""
    return subprocess.Popen(  # noqa: S603  this program itself
        [sys.executable, "-P", "-m", "arena.fleet.cluster.bridge", str(calls), str(lines)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[calls, lines],
        start_new_session=True,  # Ctrl-C goes to the runner alone
    )


def _end(popen: subprocess.Popen[bytes]) -> None:
    with suppress(subprocess.TimeoutExpired):
        popen.wait(_CLOSE_S)
        return
    popen.kill()
    popen.wait()
