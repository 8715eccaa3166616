"""Nodes that are processes of this machine."""

import asyncio
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from arena.bots.launch.process import describe_exit
from arena.bots.launch.programs import BotProgram
from arena.fleet.runner.fleet import FleetRoom, NodeEnd, count_usable_cores, max_processes_for_memory

_EXIT_TIMEOUT_S: Final = 2.0
"""Seconds that a node's process has to end after its line has ended. Then the process is killed."""
_STDERR_FD: Final = 2


class NodeProcess:
    """A node as a child process. Implements `StartedNode`."""

    machine = ""

    def __init__(self, popen: subprocess.Popen[bytes], line: socket.socket, folder: Path | None) -> None:
        self._popen = popen
        self.line = line
        self.folder = folder

    @classmethod
    def start(cls, folder: Path | None = None) -> Self:
        """Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            return cls(_start_process(theirs.fileno()), ours, folder)

    async def place(self, program: BotProgram) -> BotProgram:
        return program

    async def wait_or_kill(self) -> NodeEnd:
        code = await asyncio.to_thread(self._wait_or_kill)
        return NodeEnd(describe_exit(code), is_ours=code >= 0)

    def _wait_or_kill(self) -> int:
        with suppress(subprocess.TimeoutExpired):
            return self._popen.wait(_EXIT_TIMEOUT_S)
        self._popen.kill()
        return self._popen.wait()


class OwnFleet:
    """The nodes of a runner on its own machine. Implements `Fleet`."""

    is_away = False

    @property
    def room(self) -> FleetRoom:
        return FleetRoom(1, count_usable_cores(), max_processes_for_memory())

    async def start_node(self) -> NodeProcess:
        return NodeProcess.start()


OWN_FLEET: Final = OwnFleet()


def _start_process(socket_number: int) -> subprocess.Popen[bytes]:
    """The process inherits its end of the line as this socket."""
    return subprocess.Popen(  # noqa: S603  this program itself
        [sys.executable, "-P", "-m", "arena.fleet.runner.node_main", str(socket_number)],
        stdin=subprocess.DEVNULL,
        stdout=_STDERR_FD,  # the runner's stdout is reserved for results
        pass_fds=[socket_number],
        start_new_session=True,  # Ctrl-C goes to the runner alone, which stops its nodes
    )
