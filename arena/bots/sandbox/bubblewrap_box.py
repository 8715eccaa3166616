"""A box that bubblewrap has made: signals its program, says why it ended, and removes what it needed."""

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_port import BOT_FOLDER
from arena.bots.sandbox.box_makers import HOST_OUT_OF_MEMORY, children_of, describe_signal, is_killed
from arena.bots.sandbox.cgroups.box_groups import BoxGroup
from arena.bots.sandbox.network.connection_gate import ConnectionGate

_OUTER_VARIABLES: Final = {"PATH": os.defpath, "LANG": "C.UTF-8"}
"""The environment of bubblewrap itself. A variable of the program, such as LD_PRELOAD, must not reach it."""


class BubblewrapBox:
    folder: Final = Path("/")
    environment: Final[Mapping[str, str]] = _OUTER_VARIABLES
    seen_folder: Final = Path(BOT_FOLDER)

    def __init__(
        self,
        command: Sequence[str],
        descriptors: Sequence[int],
        group: BoxGroup | None,
        gate: ConnectionGate | None,
        limits: BoxLimits,
    ) -> None:
        self.command = command
        self.descriptors = descriptors
        self._group = group
        self._gate = gate
        self._limits = limits
        self._program_pid: int | None = None

    def find_program_pid(self, pid: int) -> int | None:
        """Return the id of the program itself: the first child of the box's process 1, which is a child of `pid`."""
        if self._program_pid is None:
            first = next(children_of(pid), None)
            self._program_pid = None if first is None else next(children_of(first), None)
        return self._program_pid

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to the program and all that it forked; SIGKILL also to what makes the box."""
        if number == signal.SIGKILL:
            self._kill(pid)
            return
        if self._group is not None:
            self._group.signal(number, frozenset([pid, *children_of(pid)]))
        elif (program := self.find_program_pid(pid)) is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(program, number)

    def _kill(self, pid: int) -> None:
        """Kill the box's process 1, which takes all others with it, then whatever is left."""
        for each in [*children_of(pid), pid]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)
        if self._group is not None:
            self._group.kill()

    def throttled_us(self) -> int:
        return 0 if self._group is None else self._group.throttled_us()

    def describe_end(self, code: int) -> str | None:
        """Return whether memory ran out, or which signal killed the program: bubblewrap reports 128 and its number.

        Control groups of version 2 kill the whole box when memory runs out, bubblewrap too.
        """
        if self._was_out_of_memory(code):
            if self.is_host_fault(code):
                return HOST_OUT_OF_MEMORY
            return f"used more than {self._limits.memory_mb} MB of memory and was killed"
        return describe_signal(code)

    def is_host_fault(self, code: int) -> bool:
        """Return whether the program was killed although it had not used all of its memory."""
        return self._was_out_of_memory(code) and self._group is not None and not self._group.was_full()

    def _was_out_of_memory(self, code: int) -> bool:
        """Return whether the kernel killed the program, or what makes its box, because memory ran out."""
        if self._group is None:
            return False
        return (is_killed(code) or code == -signal.SIGKILL) and self._group.was_out_of_memory()

    def close(self) -> None:
        """Remove the control group, and end the gate. The processes of the box have been killed."""
        if self._gate is not None:
            self._gate.close()
        if self._group is not None:
            self._group.remove()
