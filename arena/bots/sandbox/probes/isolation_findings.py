"""What boxes promise, and what the isolation check has found out about each promise."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

HARMLESS: Final[Mapping[str, str]] = {
    "files": "it reads no files of this host",
    "writes": "it writes nothing outside its scratch space",
    "processes_of_others": "it neither sees nor signals processes outside",
    "network": "it reaches no network, no abstract socket and no hypervisor",
    "namespaces": "it makes no namespaces and mounts nothing",
    "debugging": "it traces no process and reads none's memory",
    "kernel_interfaces": "it uses no io_uring, bpf, perf, keyring or userfaultfd",
    "rights": "it has no rights and gains none",
    "shared_memory": "it shares no memory with other programs",
    "environment": "it sees no variables of the arena",
    "descriptors": "it inherits no descriptors",
    "limits": "it keeps to its open files and file sizes, and leaves no core file",
}
"""The probes that share one box, each with what holds if it reaches nothing."""
EXHAUSTING: Final[Mapping[str, str]] = {
    "memory": "it keeps to its memory",
    "forks": "it keeps to its number of processes",
    "scratch": "it keeps to its scratch space",
    "spin": "it keeps to its share of the CPU",
    "daemon": "it leaves no process behind",
}
"""The probes that use something up. Each has a box of its own."""
TOGETHER: Final[Mapping[str, str]] = {"together": "all boxes together keep to their memory, processes and CPU"}
"""The probe that runs in two boxes at once. A container engine bounds its containers together, or not."""
_PROMISES: Final = {**HARMLESS, **EXHAUSTING, **TOGETHER}


class IsolationState(Enum):
    """What the check found out about one promise."""

    HOLDS = "holds"
    BROKEN = "does not hold"
    NOT_TESTED = "not tested"


@dataclass(frozen=True, slots=True)
class IsolationFinding:
    probe: str
    promise: str
    """What should hold, as words about a program in a box."""
    state: IsolationState
    detail: str = ""
    """What the probe reached, or why it could not be run."""


def judge(probe: str, reached: str) -> IsolationFinding:
    """Return the finding of a probe that ran. Its promise holds if it reached nothing."""
    state = IsolationState.BROKEN if reached else IsolationState.HOLDS
    return IsolationFinding(probe, _PROMISES[probe], state, reached)


def not_tested(probe: str, why: str) -> IsolationFinding:
    """Return the finding of a probe that could not be run to its end."""
    return IsolationFinding(probe, _PROMISES[probe], IsolationState.NOT_TESTED, why)
