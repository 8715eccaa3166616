"""What every benchmark gives: figures of one run, and rows of the same figure over all runs."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of one run."""

    name: str
    unit: str
    value: float
    goal: float | None = None
    """None: nobody has set one, the figure is there to be compared."""
    is_more_better: bool = False
    remark: str = ""
    """What has to be known to believe the value."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What the machine did beside a measurement."""

    calibration_us: float
    """How fast a core was meanwhile: CPU time of `sum(range(100))`."""
    others: float | None
    """Cores that other programs used meanwhile; None where the system does not say."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure over all runs."""

    name: str
    unit: str
    runs: tuple[float, ...]
    goal: float | None
    is_more_better: bool
    calibration_us: tuple[float, ...]
    """By run."""
    others: tuple[float, ...]
    """By run; empty where the system does not say."""
    remark: str = ""

    @property
    def median(self) -> float:
        """The middle of the runs."""
        return statistics.median(self.runs)

    @property
    def to_goal(self) -> float | None:
        """How often the goal is reached: 1 is just enough, more is better, whichever way the figure counts."""
        if self.goal is None:
            return None
        if not self.goal:
            return 0.0 if any(self.runs) else 1.0  # where nothing is wanted, every run counts
        if self.is_more_better:
            return self.median / self.goal
        return self.goal / self.median if self.median else None


def rows_of(runs: Sequence[Iterable[tuple[Figure, Noise]]]) -> list[Row]:
    """Gather the figures of all runs by name, in the order of the first run; a goal may differ from run to run."""
    found: dict[str, list[tuple[Figure, Noise]]] = {}
    for run in runs:
        for figure, noise in run:
            found.setdefault(figure.name, []).append((figure, noise))
    return [_row(same) for same in found.values()]


def _row(same: Sequence[tuple[Figure, Noise]]) -> Row:
    first = same[0][0]
    goals = [figure.goal for figure, _ in same if figure.goal is not None]
    return Row(
        first.name,
        first.unit,
        tuple(figure.value for figure, _ in same),
        statistics.median(goals) if goals else None,
        first.is_more_better,
        tuple(noise.calibration_us for _, noise in same),
        tuple(noise.others for _, noise in same if noise.others is not None),
        "; ".join(dict.fromkeys(figure.remark for figure, _ in same if figure.remark)),
    )


def as_plain(row: Row) -> dict[str, Any]:
    """Give a row as values for JSON; `from_plain` reads them back."""
    return asdict(row)


def from_plain(values: Mapping[str, Any]) -> Row:
    """Read `as_plain`'s values."""
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return Row(**fields)


def quantile(values: Iterable[float], part: float) -> float:
    """The value below which this part of them lies, 0 to 1; 0 where there are none."""
    ascending = sorted(values)
    return ascending[min(len(ascending) - 1, int(part * len(ascending)))] if ascending else 0.0
