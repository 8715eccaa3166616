"""The settings of boxes on a host: what makes them, what programs see in them, and what they may use."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from annotated_types import Interval

from arena.bots.launch.box_limits import BoxLimits, BoxTotals
from arena.errors import OptionError, OptionsError

_MOST_CPU_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class BoxSettings:
    """How untrusted programs are isolated."""

    backend: Literal["bubblewrap", "oci"] = "bubblewrap"
    """What makes the boxes."""
    paths: tuple[str, ...] = ()
    """Folders with toolchains that programs may read, besides /usr."""
    memory_mb: Annotated[int, Interval(ge=32, le=65_536)] = 2_048
    """The most memory that a bot may ask for in its bot.toml. Builds have limits of their own."""
    processes: Annotated[int, Interval(ge=1, le=4_096)] = 256
    """The most processes and threads together."""
    cpus: Annotated[float, Interval(ge=0.05, le=64)] = 2.0
    """The most cores."""
    scratch_mb: Annotated[int, Interval(ge=1, le=65_536)] = 256
    """The most scratch space."""
    total_memory_mb: Annotated[int, Interval(ge=64, le=16_777_216)] | None = None
    """The most memory of all boxes of this machine together. None: three quarters of what the machine has."""
    total_processes: Annotated[int, Interval(ge=16, le=4_194_304)] | None = None
    """The most processes and threads of all boxes together. None: three quarters of what the machine allows."""
    total_cpus: Annotated[float, Interval(ge=0.1, le=4_096)] | None = None
    """The most cores of all boxes together. None: all, but under load no more than half."""
    slice: str = ""
    """The control group, or the slice of systemd, below which a container engine makes boxes. Empty: its default."""
    build_time_s: Annotated[float, Interval(ge=1, le=86_400)] = 900.0
    """The most seconds that a build may take."""
    build_memory_mb: Annotated[int, Interval(ge=64, le=65_536)] = 4_096
    """The most memory of a build. Three quarters of it may be files."""
    build_cpus: Annotated[float, Interval(ge=0.05, le=64)] = 2.0
    """The most cores of a build."""

    def __post_init__(self) -> None:
        """Raise OptionsError for settings that have no effect with this backend."""
        if self.backend == "oci" and self.totals.configured:
            raise OptionsError([
                OptionError(f"boxes.total_{name}", value, "a container engine has its own: name a `slice` with limits")
                for name, value in self.totals.configured.items()
            ])  # fmt: skip
        if self.backend != "oci" and self.slice:
            raise OptionsError([OptionError("boxes.slice", self.slice, "only a container engine takes it")])

    @property
    def most(self) -> BoxLimits:
        """The most that a bot may use."""
        return self._bound(
            BoxLimits(
                memory_mb=self.memory_mb,
                processes=self.processes,
                cpus=self.cpus,
                scratch_mb=self.scratch_mb,
                open_files=4_096,
                file_mb=self.scratch_mb,
            )
        )

    @property
    def totals(self) -> BoxTotals:
        """What all boxes of the host may use together."""
        return BoxTotals(self.total_memory_mb, self.total_processes, self.total_cpus)

    @property
    def build_limits(self) -> BoxLimits:
        """What a build may use. Its files count as memory."""
        files_mb = self.build_memory_mb * 3 // 4
        return self._bound(
            BoxLimits(
                memory_mb=self.build_memory_mb,
                processes=1_024,
                cpus=self.build_cpus,
                scratch_mb=files_mb,
                open_files=4_096,
                file_mb=min(1_024, files_mb),
                cpu_seconds=min(_MOST_CPU_SECONDS, math.ceil(self.build_time_s * self.build_cpus)),
            )
        )

    def _bound(self, limits: BoxLimits) -> BoxLimits:
        """Return limits of one box that are no higher than those of all boxes."""
        lower = {name: min(total, getattr(limits, name)) for name, total in self.totals.configured.items()}
        return replace(limits, **lower)
