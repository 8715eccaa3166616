"""Programs in real boxes, and the reason if this machine cannot make them."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.bubblewrap_box import BubblewrapBox
from arena.bots.sandbox.cgroups.box_groups import BoxGroup
from arena.bots.sandbox.probes.isolation_check import require_isolation
from arena.errors import IsolationError

SECRET = "cat_" + "S" * 46
WAIT_S = 30.0
"""Most seconds to wait for something that a box does at once on a quiet machine."""


@cache
def why_no_boxes() -> str:
    """Return why this machine cannot hold untrusted code; empty if it can."""
    try:
        require_isolation(BoxSettings())
    except IsolationError as error:
        return str(error)
    return ""


def skip_without_boxes() -> None:
    """Skip a test with the reason if this machine cannot hold untrusted code."""
    if reason := why_no_boxes():
        pytest.skip(reason)


class BoxedPrograms:
    """Starts Python programs, given as texts, in boxes."""

    def __init__(self, folder: Path, launcher: Launcher) -> None:
        self._folder = folder
        self.launcher = launcher
        self._count = 0

    def start(self, code: str, name: str = "bot", **options: Any) -> BotProcess:
        """Start a program in a box of its own. Keywords but `environment` and `address` are limits."""
        self._count += 1
        folder = self._folder / f"{name}-{self._count}"
        folder.mkdir()
        (folder / "bot.py").write_text(code, encoding="utf-8")
        environment = options.pop("environment", {})
        address = options.pop("address", "127.0.0.1:1")
        command = (sys.executable, "-I", "-S", "-u", str(folder / "bot.py"))
        program = BotProgram(name, command, folder, environment, limits=BoxLimits(**options), is_boxed=True)
        return self.launcher.start(program, address=address, token=SECRET, instance="1")

    def run(self, code: str, name: str = "bot", **options: Any) -> tuple[BotProcess, list[str]]:
        """Run a program to its end, and return it with the lines that it printed."""
        process = self.start(code, name, **options)
        assert process.wait(WAIT_S), f"it did not end: {process.tail(5)}"
        process.end(0)
        return process, process.tail(200)


@contextmanager
def open_boxes(folder: Path, backend: BubblewrapBackend | None = None) -> Iterator[BoxedPrograms]:
    """Start programs in boxes, and end them all on exit. Users of boxes may read `folder`."""
    folder.chmod(0o755)
    with Launcher(
        folder / "output", open_boxes=lambda: backend or BubblewrapBackend(), cap_bytes=1_000_000
    ) as launcher:
        yield BoxedPrograms(folder, launcher)


def group_of(process: BotProcess) -> BoxGroup:
    """Return the control group of a box, which alone knows all its processes, and counts them from outside."""
    box = process._box
    assert isinstance(box, BubblewrapBox)
    assert box._group is not None
    return box._group


def wait_until(condition: Callable[[], object], time_s: float = WAIT_S) -> None:
    """Wait for something that happens in another process."""
    deadline = time.monotonic() + time_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def list_descriptors() -> set[str]:
    """Return the descriptors that this process has open. Those of earlier boxes may close at any time."""
    return {each.name for each in Path("/proc/self/fd").iterdir()}


def list_processes_with(text: str) -> list[int]:
    """Return the ids of all processes of this machine whose command has a text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if text.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found
