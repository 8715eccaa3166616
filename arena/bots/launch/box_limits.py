"""What one box may use: memory, processes, CPU, scratch space, descriptors and file sizes.

    [resources]                       # in bot.toml; each line is optional
    memory_mb = 1024
    cpus = 2

A host may allow less than the highest values here (`find_excess`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from arena.errors import BotStartError, OptionError, OptionsError

_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "memory_mb": (32, 65_536),
    "processes": (1, 4_096),
    "cpus": (0.05, 64),
    "scratch_mb": (1, 65_536),
    "open_files": (32, 65_536),
    "file_mb": (1, 65_536),
    "cpu_seconds": (1, 86_400),
}
_FRACTIONAL: Final = "cpus"
"""The only limit that need not be a whole number."""


@dataclass(frozen=True, slots=True)
class BoxLimits:
    """What one box may use. Raises OptionsError for values out of range."""

    memory_mb: int = 512
    """Memory of all its processes together, with what they keep in the scratch space. 32 to 65536."""
    processes: int = 64
    """Processes and threads together, 1 to 4096."""
    cpus: float = 1.0
    """Cores that it may keep busy on average over a tenth of a second, 0.05 to 64."""
    scratch_mb: int = 64
    """Space in /tmp and /dev/shm together; it counts as memory too. 1 to 65536."""
    open_files: int = 256
    """Open descriptors of each process, 32 to 65536."""
    file_mb: int = 64
    """Size of each file that it writes, 1 to 65536."""
    cpu_seconds: int | None = None
    """CPU time of each process, 1 to 86400; None means no limit."""

    def __post_init__(self) -> None:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.cpu_seconds is None:
            del values["cpu_seconds"]
        if faults := list(find_limit_faults(values)):
            raise OptionsError(faults)

    def check_against(self, most: "BoxLimits | None", name: str) -> None:
        """Raise BotStartError if a program asks for more than a host allows. `name` is that of the program."""
        if most is not None and (excess := self.find_excess(most)):
            raise BotStartError(f"{name} asks for too much: {'; '.join(map(str, excess))}")

    def find_excess(self, most: "BoxLimits") -> list[OptionError]:
        """Return an error for each limit that is higher than a host allows."""
        excess = []
        for each in fields(self):
            asked, allowed = getattr(self, each.name), getattr(most, each.name)
            if allowed is not None and (asked is None or asked > allowed):
                excess.append(OptionError(each.name, asked, f"this host allows at most {allowed:g}"))
        return excess


@dataclass(frozen=True, slots=True)
class BoxTotals:
    """What all boxes of a host may use together.

    None means what the host can spare (`arena.bots.sandbox.cgroups.box_groups`).
    """

    memory_mb: int | None = None
    processes: int | None = None
    """Processes and threads, with those that make the boxes."""
    cpus: float | None = None

    @property
    def configured(self) -> Mapping[str, float]:
        """The totals that have a number, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DEFAULT_TOTALS: Final = BoxTotals()


def find_limit_faults(values: Mapping[str, Any]) -> Iterator[OptionError]:
    """Yield an error for each value that is no limit, or that is out of range."""
    for name, value in values.items():
        if name not in _RANGES:
            yield OptionError(name, value, f"unknown key; known: {', '.join(_RANGES)}")
            continue
        low, high = _RANGES[name]
        is_number = isinstance(value, int | float if name == _FRACTIONAL else int) and not isinstance(value, bool)
        if not (is_number and low <= value <= high):
            kind = "a number" if name == _FRACTIONAL else "a whole number"
            yield OptionError(name, value, f"{kind} from {low:g} to {high:g}")
