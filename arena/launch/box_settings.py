"""The settings of boxes on a host: what makes them, what programs see in them, and the most that one may use."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from arena.launch.box_limits import BoxLimits


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

    @property
    def most(self) -> BoxLimits:
        """The most that a bot may use."""
        return BoxLimits(
            memory_mb=self.memory_mb,
            processes=self.processes,
            cpus=self.cpus,
            scratch_mb=self.scratch_mb,
            open_files=4_096,
            file_mb=self.scratch_mb,
        )
