"""The results of benchmarks: figures of one run, rows with the values of a figure in all runs, and files of rows."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number in one run."""

    name: str
    unit: str
    value: float
    goal: float | None = None
    """The goal; None if the figure has no goal and is only for comparison."""
    is_more_better: bool = False
    remark: str = ""
    """A remark that helps to judge the value."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How busy and how fast the machine was during a measurement."""

    calibration_us: float
    """CPU time of `sum(range(100))` in microseconds, which shows how fast a core was."""
    others: float | None
    """Number of cores that other programs used; None if the system does not report it."""


@dataclass(frozen=True, slots=True)
class Row:
    """The values of a figure in all runs."""

    name: str
    unit: str
    runs: tuple[float, ...]
    goal: float | None
    is_more_better: bool
    calibration_us: tuple[float, ...]
    """The value of `Noise.calibration_us` in each run."""
    others: tuple[float, ...]
    """The value of `Noise.others` in each run; empty if the system does not report it."""
    remark: str = ""

    @property
    def median(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)

    @property
    def to_goal(self) -> float | None:
        """The ratio of median and goal, or its inverse, so that more is always better. 1 just reaches the goal."""
        if self.goal is None:
            return None
        if not self.goal:
            return 0.0 if any(self.runs) else 1.0  # with the goal 0, every run has to reach it
        if self.is_more_better:
            return self.median / self.goal
        return self.goal / self.median if self.median else None


def rows_of(runs: Sequence[Iterable[tuple[Figure, Noise]]]) -> list[Row]:
    """Return a row for each figure, in order of first appearance. The goal of a row is the median goal of its runs."""
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


def write_rows(rows: Sequence[Row], machine: str, path: Path) -> None:
    """Write rows and a text about the machine to a file; `read_rows` reads the rows back."""
    kept = {"machine": machine, "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def read_rows(path: Path) -> list[Row]:
    """Return the rows from a file of `write_rows`."""
    return [_from_plain(values) for values in json.loads(path.read_text(encoding="utf-8"))["rows"]]


def _from_plain(values: Mapping[str, Any]) -> Row:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return Row(**fields)


def quantile(values: Iterable[float], part: float) -> float:
    """Return the value below which this part of the values lies; 0 if there are no values. `part` is 0 to 1."""
    ascending = sorted(values)
    return ascending[min(len(ascending) - 1, int(part * len(ascending)))] if ascending else 0.0
