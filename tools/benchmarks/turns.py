"""Measures several copies of the arena in turns, so that a slower machine affects all alike.

The copies are folders, such as an earlier checkout, this one, and its compiled copy. Each folder measures itself with
its own benchmark, in processes of its own.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.support.commands import environment_of
from tools.benchmarks.row import Row, read_rows


def take_turns(
    folders: Mapping[str, Path],
    rounds: int,
    flags: Sequence[str],
    tell: Callable[[str], None],
    keep: Callable[[str, Sequence[Row]], None],
) -> dict[str, list[Row]]:
    """Measure all folders in each round. Return the rows of each, with the runs of all rounds.

    `flags` are those of the benchmark's command `run`. `tell` reports the progress. `keep` gets the name and the rows
    of a folder after each of its rounds, so that nothing is lost if a later round fails. Raises CalledProcessError.
    """
    measured: dict[str, list[list[Row]]] = {name: [] for name in folders}
    for number in range(1, rounds + 1):
        for name, folder in folders.items():
            tell(f"round {number} of {rounds}: {name}")
            measured[name].append(_measure(folder.resolve(), flags))
            keep(name, join_rows(measured[name]))
    return {name: join_rows(each) for name, each in measured.items()}


def join_rows(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """Return the rows of several measurements as one, with all runs, in the order of the first measurement."""
    joined: dict[str, Row] = {}
    for row in (row for rows in runs for row in rows):
        before = joined.get(row.name)
        joined[row.name] = row if before is None else replace(
            before,
            runs=(*before.runs, *row.runs),
            calibration_us=(*before.calibration_us, *row.calibration_us),
            others=(*before.others, *row.others),
            remark=before.remark or row.remark,
        )  # fmt: skip
    return list(joined.values())


def benchmark_of(folder: Path) -> str | None:
    """Return the package of a folder's benchmark, which earlier checkouts have among the tests; None if it has none."""
    return next((f"{each}.benchmarks" for each in ("tools", "tests") if (folder / each / "benchmarks").is_dir()), None)


def _measure(folder: Path, flags: Sequence[str]) -> list[Row]:
    """Run one round of the benchmark of a folder. Nothing is imported from elsewhere."""
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "rows.json"
        run = ["-P", "-m", str(benchmark_of(folder)), "run", "--runs", "1", "--json", str(written)]
        command = [sys.executable, *run, *flags]
        subprocess.run(command, cwd=folder, env=environment_of(folder), check=True, stdout=subprocess.DEVNULL)
        return read_rows(written)
