"""Checks that boxes hold: runs programs in real boxes that try to get out, and says what they reached.

Nothing is assumed from versions. `require_isolation` keeps the result for the life of this process.
"""

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.box_limits import BoxLimits, BoxTotals
from arena.bots.launch.box_port import BoxBackend
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.bots.sandbox.backends import open_boxes
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.probes.isolation_findings import (
    EXHAUSTING,
    HARMLESS,
    TOGETHER,
    IsolationFinding,
    IsolationState,
    judge,
    not_tested,
)
from arena.bots.sandbox.probes.probe_targets import prepare_targets
from arena.errors import ArenaError, IsolationError
from arena.plurals import format_count

_PROBE_PROGRAM: Final = Path(__file__).with_name("probe_program.py")
_PROBE_TIME_S: Final = 30.0
_SMALL_CPU_SHARE: Final = 0.05
"""The quota of the probe that keeps a core busy: it gets more time than that even on a busy machine."""
_LIMITS: Final = BoxLimits(memory_mb=64, processes=16, cpus=1, scratch_mb=16, open_files=64, file_mb=8)
_TOTALS: Final = BoxTotals(memory_mb=64, processes=24, cpus=2 * _SMALL_CPU_SHARE)
"""What the two boxes of the probe `together` may use. Each alone could use nearly all of it."""
_WANTED: Final[Mapping[str, int]] = {"memory_mb": 40, "processes": 12}
"""What the program in each of these boxes tries to use."""
_LIMITS_OF: Final[Mapping[str, BoxLimits]] = {
    "spin": replace(_LIMITS, cpus=_SMALL_CPU_SHARE),
    "together": replace(_LIMITS, memory_mb=128),
}
"""The limits of boxes whose first probe needs other ones."""
_LINE_COUNT: Final = 100
_END_TIME_S: Final = 2.0
_POLL_S: Final = 0.02


def check_isolation(settings: BoxSettings) -> list[IsolationFinding]:
    """Try the escapes in boxes that these settings make, and return a finding for each."""
    try:
        backend = open_boxes(settings, is_strict=False)
    except IsolationError as error:
        probes = (*HARMLESS, *EXHAUSTING, *(TOGETHER if settings.backend == "bubblewrap" else ()))
        return [not_tested(probe, str(error)) for probe in probes]
    with tempfile.TemporaryDirectory(prefix="arena-check-") as folder:
        Path(folder).chmod(0o711)
        return _Checker(backend, Path(folder)).check()


_known: dict[BoxSettings, Sequence[str]] = {}
"""A sentence for each fault."""
_CHECKED_BY: Final = "ARENA_ISOLATION_CHECKED_BY"
"""The variable that says which process has started this one and has found that boxes hold, and their backend."""
_lock: Final = threading.Lock()


def require_isolation(settings: BoxSettings) -> None:
    """Return if boxes with these settings hold on this machine. Raises IsolationError with a sentence for each fault.

    The first call runs the check, which takes a few seconds; later calls know its result. So does a process whose
    parent has called `vouch_for_boxes`.
    """
    open_boxes(settings)
    if os.environ.get(_CHECKED_BY) == f"{os.getppid()} {settings.backend}":
        return
    with _lock:
        if settings not in _known:
            faults = [each.detail for each in check_isolation(settings) if each.state is not IsolationState.HOLDS]
            _known[settings] = list(dict.fromkeys(faults))
    if missing := _known[settings]:
        raise IsolationError(missing)


def vouch_for_boxes(settings: BoxSettings) -> dict[str, str]:
    """Return the variable that spares the processes that this one starts the check, because boxes are known to hold.

    It counts for children of this process alone, so it is of no use in a shell or a file.
    """
    return {_CHECKED_BY: f"{os.getpid()} {settings.backend}"}


class _Checker:
    def __init__(self, backend: BoxBackend, folder: Path) -> None:
        self._backend = backend
        self._folder = folder

    def check(self) -> list[IsolationFinding]:
        with (
            prepare_targets(self._folder, _LIMITS) as outside,
            Launcher(self._folder / "output", open_boxes=lambda: self._backend) as launcher,
            ThreadPoolExecutor(1) as beside,
        ):
            together = beside.submit(self._run_together)  # it waits a lot
            findings = self._run_harmless(launcher, outside)
            for probe in EXHAUSTING:
                findings.append(self._run_exhausting(launcher, outside, probe))
            return [*findings, *together.result()]

    def _run_harmless(self, launcher: Launcher, outside: Mapping[str, Any]) -> list[IsolationFinding]:
        """Run the probes that share a box."""
        try:
            process = self._start(launcher, outside, list(HARMLESS))
            lines = _wait_for_lines(process)
        except ArenaError as error:
            return [not_tested(probe, str(error)) for probe in HARMLESS]
        reached = _read_reached(lines)
        return [
            judge(probe, reached[probe]) if probe in reached else not_tested(probe, _describe_failure(process, lines))
            for probe in HARMLESS
        ]

    def _run_exhausting(self, launcher: Launcher, outside: Mapping[str, Any], probe: str) -> IsolationFinding:
        """Run a probe in a box of its own, and look from outside at what is left of it."""
        try:
            process = self._start(launcher, outside, [probe])
            if probe == "spin" and _is_throttled(process):
                return judge(probe, "")
            process.wait(_PROBE_TIME_S)
            is_survived = probe == "daemon" and _is_running(outside["file"])
            lines = _wait_for_lines(process)
        except ArenaError as error:
            return not_tested(probe, str(error))
        reached = _read_reached(lines).get(probe)
        is_out_of_memory = "memory" in process.describe_state() and not process.is_host_fault
        if probe == "memory" and reached is None and is_out_of_memory:
            return judge(probe, "")
        if reached is None:
            return not_tested(probe, _describe_failure(process, lines))
        if probe == "spin":
            return judge(probe, "no quota stopped a program that kept a core busy")
        if probe == "daemon" and is_survived:
            return judge(probe, "a process that it forked outlived it")
        return judge(probe, reached)

    def _run_together(self) -> list[IsolationFinding]:
        """Run the probe in two boxes, and look what they use at the same time. Not for a container engine."""
        if not isinstance(self._backend, BubblewrapBackend):
            return []
        (probe,), backend = TOGETHER, replace(self._backend, totals=_TOTALS, is_apart=True)
        with Launcher(self._folder / probe, open_boxes=lambda: backend) as launcher:
            try:
                pair = [self._start(launcher, {probe: _WANTED}, [probe]) for _ in range(2)]
            except ArenaError as error:
                return [not_tested(probe, str(error))]
            deadline = time.monotonic() + 2 * _PROBE_TIME_S
            while not _find_ended(pair) and time.monotonic() < deadline:
                if all(_read_use(each, "memory") for each in pair):  # the one that makes room needs a moment to end
                    deadline = min(deadline, time.monotonic() + _END_TIME_S)
                time.sleep(_POLL_S)
            return [_judge_together(backend, pair)]

    def _start(self, launcher: Launcher, outside: Mapping[str, Any], probes: Sequence[str]) -> BotProcess:
        command = (sys.executable, "-I", "-S", str(_PROBE_PROGRAM), json.dumps(outside), *probes)
        limits = _LIMITS_OF.get(probes[0], _LIMITS)
        program = BotProgram(
            f"probe {probes[0]}", command, _PROBE_PROGRAM.parent, files=(_PROBE_PROGRAM,), limits=limits, is_boxed=True
        )
        return launcher.start(program, address="", token="", instance="")


def _wait_for_lines(process: BotProcess) -> list[str]:
    """Wait for the end of a probe, and return what it printed."""
    process.wait(_PROBE_TIME_S)
    process.end(0)
    return process.tail(_LINE_COUNT)


def _read_reached(lines: Sequence[str]) -> Mapping[str, str]:
    """Return what each probe says it reached."""
    return {probe: text for probe, _, text in (line.partition(" ") for line in lines)}


def _describe_failure(process: BotProcess, lines: Sequence[str]) -> str:
    """Return why a probe printed no result. An engine's last line may only name its help."""
    last = next((line for line in reversed(lines) if line.strip() and "--help'" not in line), "")
    return f"the probe {process.describe_state()}{': ' if last else ''}{last}"


def _find_ended(processes: Sequence[BotProcess]) -> BotProcess | None:
    """Return a process that has ended; None if all run."""
    return next((each for each in processes if each.exit_code is not None), None)


def _read_use(process: BotProcess, name: str) -> int:
    """Return how much of something a probe says it uses; 0 if it has not said so yet."""
    words = next((line.split() for line in process.tail(_LINE_COUNT) if line.startswith(f"{name} ")), [])
    return int(words[1]) if words[1:] and words[1].isdecimal() else 0


def _judge_together(backend: BubblewrapBackend, pair: Sequence[BotProcess]) -> IsolationFinding:
    """Return how much two boxes got between them. One has to be killed, since the other has the memory."""
    (probe,) = TOGETHER
    ended = _find_ended(pair)
    if ended is not None and not ended.is_host_fault:
        return not_tested(probe, _describe_failure(ended, ended.tail(_LINE_COUNT)))
    memory_mb, count = (sum(_read_use(each, name) for each in pair) for name in ("memory", "processes"))
    reached = []
    if ended is None and memory_mb < 2 * _WANTED["memory_mb"]:
        return not_tested(probe, f"two boxes took longer than {2 * _PROBE_TIME_S:g} s")
    if ended is None:
        reached.append(f"two boxes used {memory_mb} MB of memory together")
    if _TOTALS.processes is not None and count > _TOTALS.processes:
        reached.append(f"two boxes had {format_count(count, 'process')} together")
    if not backend.throttled_us():
        reached.append("no quota stopped two boxes together")
    return judge(probe, "; ".join(reached))


def _is_throttled(process: BotProcess) -> bool:
    """Return whether a quota stops a program before its end. A container is known some time after its start."""
    while not process.throttled_us:
        if process.wait(_POLL_S):
            return False
    process.end(0)
    return True


def _is_running(text: str) -> bool:
    """Return whether a process with a text in its command still runs some time after the end of its box."""
    deadline = time.monotonic() + _END_TIME_S
    while any(text.encode() in command for command in _list_commands()):
        if time.monotonic() >= deadline:
            return True
        time.sleep(_POLL_S)
    return False


def _list_commands() -> Iterator[bytes]:
    """Yield the command line of each process that this one can see, but its own."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                yield (folder / "cmdline").read_bytes()
