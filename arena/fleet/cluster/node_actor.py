"""The actor that has a node as its child. It carries bytes between the node's line and its calls."""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import ray

from arena.bots.launch.programs import BotProgram
from arena.bots.packages.private_copy import make_private_copy
from arena.errors import ArenaError, BotStartError, EnvironmentFaultError, StoreLockedError
from arena.fleet.cluster.batches import BatchReader
from arena.fleet.cluster.calls import NodePlace
from arena.fleet.cluster.machine import Machine
from arena.fleet.cluster.programs import unpack_program
from arena.fleet.runner.fleet import NodeEnd
from arena.fleet.runner.node_process import NodeProcess
from arena.plain_errors import PlainError, describe_error
from arena.server.store.data_folder import wait_for_old_nodes

_FOLDER_PREFIX: Final = "cheatarena-node-"
_YOUNG_S: Final = 60.0
"""Age below which a folder may belong to a node that is only being started, in seconds."""
_PROGRAMS_FOLDER: Final = "programs"
_PRIVATE_FOLDER: Final = "lanes"

ArgumentsT = ParamSpec("ArgumentsT")
ResultT = TypeVar("ResultT")


def _return_errors(
    method: Callable[ArgumentsT, Coroutine[Any, Any, ResultT]],
) -> Callable[ArgumentsT, Coroutine[Any, Any, ResultT | PlainError]]:
    """Have a method return the arena's errors: Ray would wrap them, with a trace, into errors of its own."""

    @wraps(method)
    async def call(*args: ArgumentsT.args, **named: ArgumentsT.kwargs) -> ResultT | PlainError:
        try:
            return await method(*args, **named)
        except ArenaError as error:
            return describe_error(error)

    return call


class NodeActor:
    """Ray ends its process with the driver and with the machine's raylet. Then the node loses its line and ends too."""

    def __init__(self) -> None:
        self._machine = ray.util.get_node_ip_address()
        self._placing = asyncio.Lock()

    @_return_errors
    async def open(self, expected: Machine) -> NodePlace:
        """Start the node. Raises EnvironmentFaultError if this machine differs from the runner's."""
        if difference := expected.find_difference(await asyncio.to_thread(Machine.describe)):
            raise EnvironmentFaultError(f"no node was started on {self._machine}: it {difference}")
        try:
            await asyncio.to_thread(_remove_old_folders)
            self._folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
            self._node = NodeProcess.start(self._folder)
        except OSError as error:
            raise EnvironmentFaultError(f"no node was started on {self._machine}: {error.strerror}") from error
        self._batches = BatchReader(self._node.line)
        return NodePlace(self._machine, self._folder)

    @_return_errors
    async def place(self, program: BotProgram, python: str, content: str, archive: bytes) -> BotProgram:
        """Raises BotStartError, which names this machine."""
        try:
            async with self._placing:  # two bots may be the same program
                return await asyncio.to_thread(self._place, program, python, content, archive)
        except (BotStartError, EnvironmentFaultError) as error:
            raise BotStartError(f"{error} (on {self._machine})") from error

    def _place(self, program: BotProgram, python: str, content: str, archive: bytes) -> BotProgram:
        here = unpack_program(program, python, content, archive, self._folder / _PROGRAMS_FOLDER)
        if program.own_place is None:
            return here
        return make_private_copy(here, self._folder / _PRIVATE_FOLDER / program.own_place.name)

    async def send(self, data: bytes) -> None:
        with suppress(OSError):  # the node has ended, which `receive` reports
            await asyncio.get_running_loop().sock_sendall(self._node.line, data)

    async def receive(self) -> bytes:
        """Wait for a batch of the node's messages, and return it; empty if the node has ended."""
        try:
            return await self._batches.read()
        except OSError:
            return b""

    async def wait_or_kill(self) -> NodeEnd:
        self._node.line.close()
        return await self._node.wait_or_kill()


def _remove_old_folders() -> None:
    """Remove the folders of this user's nodes that have ended. They were left with the output of their bots."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError, StoreLockedError):
            if time.time() - folder.stat().st_mtime > _YOUNG_S:
                wait_for_old_nodes(folder, 0.0)
                shutil.rmtree(folder)
