"""Tells a server which processes are its submitted bots, which another process of this machine runs.

box process: KeptBots ──▶ publish_processes ──▶ a file in the data folder ──▶ BoxedProcesses ──▶ ProcessSampler
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from arena.bots.sandbox.cgroups.group_places import read_throttled_us
from arena.fleet.runner.kept_bots import KeptBots
from arena.fleet.runner.process_sampler import name_of_session
from arena.match.referee.scalars import SessionKey
from arena.server.store.data_folder import write_private_file

PUBLISH_INTERVAL_S: Final = 1.0
_FILE: Final = Path("bots") / "boxed.json"
_NAMESPACE: Final = Path("/proc/self/ns/pid")


@dataclass(frozen=True, slots=True)
class BoxedProcess:
    name: str
    """The `name_of_session` of its session."""
    pid: int

    @property
    def throttled_us(self) -> int:
        """How long the CPU quota of its box has stopped the program so far, in microseconds."""
        return read_throttled_us(self.pid)


class BoxedProcesses:
    def __init__(self, data: Path) -> None:
        self._file = data / _FILE
        self._read_at = 0
        self._running: Sequence[BoxedProcess] = ()

    @property
    def running(self) -> Sequence[BoxedProcess]:
        """Those of the newest file; none if another container wrote it, where processes have other ids."""
        try:
            written_at = self._file.stat().st_mtime_ns
            if written_at != self._read_at:
                found, self._read_at = json.loads(self._file.read_bytes()), written_at
                is_here = found["namespace"] == _find_namespace()
                self._running = [BoxedProcess(*each) for each in found["processes"]] if is_here else []
        except (OSError, ValueError):
            self._running = ()
        return self._running


async def publish_processes(bots: KeptBots, data: Path) -> NoReturn:
    told: object = None
    while True:
        running: dict[SessionKey, int] = {key: process.pid for key, process in bots.processes.items()}
        if running != told:
            processes = [(name_of_session(key), pid) for key, pid in running.items()]
            text = json.dumps({"namespace": _find_namespace(), "processes": processes})
            with suppress(OSError):  # until the disk has room, strikes are explained without these processes
                (data / _FILE).parent.mkdir(parents=True, exist_ok=True)
                write_private_file(data / _FILE, text.encode())
                told = running
        await asyncio.sleep(PUBLISH_INTERVAL_S)


def _find_namespace() -> str:
    """Return the name of the namespace that gives this process its id; empty if the system has none."""
    with suppress(OSError):
        return str(_NAMESPACE.readlink())
    return ""
