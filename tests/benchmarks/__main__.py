"""Measures the arena's speed: `make bench`, or `python -m tests.benchmarks --help`. The README explains the figures."""

import argparse
import asyncio
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import grpc

from arena.compiled_build import describe_build
from tests.benchmarks.plot import write_plot
from tests.benchmarks.row import Row, as_plain, from_plain
from tests.benchmarks.suite import FULL, measurements, run
from tests.benchmarks.table import comparison, table

RUNS = 5
USAGE = 64


def machine() -> str:
    """Return a text about this machine."""
    system = f"{platform.system()} {platform.machine()}"
    return f"{os.cpu_count()} cores, {describe_build()}, grpcio {grpc.__version__}, {system}"


def measure(wanted: argparse.Namespace) -> None:
    """Measure, print the table, and write the figures to a file if one is wanted."""
    size = replace(FULL, seconds=wanted.seconds)
    names = wanted.rows or list(measurements(size))
    rows = asyncio.run(run(size, names, wanted.runs, lambda word: print(word, file=sys.stderr, flush=True)))
    print(f"{machine()}; median of {wanted.runs} runs of {wanted.seconds:g} s\n{table(rows)}")
    if wanted.json:
        write_rows(rows, wanted.json)


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write rows to a file; `read_rows` reads them back."""
    kept = {"machine": machine(), "rows": [as_plain(row) for row in rows]}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def read_rows(path: Path) -> list[Row]:
    """Return the rows from a file of `write_rows`."""
    return [from_plain(values) for values in json.loads(path.read_text(encoding="utf-8"))["rows"]]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.set_defaults(act=measure, seconds=FULL.seconds, rows=[], runs=RUNS, json=None)
    commands = parser.add_subparsers(metavar="COMMAND")
    running = commands.add_parser("run", help="measure; without a command too")
    running.add_argument("--rows", nargs="+", metavar="ROW", choices=list(measurements(FULL)), help="only these")
    running.add_argument("--runs", type=int, default=RUNS, help="rounds over all rows (default: %(default)s)")
    running.add_argument("--seconds", type=float, default=FULL.seconds, help="of a row (default: %(default)s)")
    running.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    comparing = commands.add_parser("compare", help="pair the rows of two files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.set_defaults(act=lambda each: print(comparison(read_rows(each.before), read_rows(each.after))))
    showing = commands.add_parser("show", help="print the table of a file, and draw its plot")
    showing.add_argument("file", type=Path)
    showing.add_argument("--plot", type=Path, metavar="SVG", help="where to draw")
    showing.set_defaults(act=show)
    return parser.parse_args()


def show(wanted: argparse.Namespace) -> None:
    """Print the table of a file, and draw its plot. Exit with 64 if the file has too few rows for a plot."""
    rows = read_rows(wanted.file)
    print(table(rows))
    if wanted.plot and not write_plot(rows, wanted.plot):
        needs = "the plot needs two numbers of matches or more, such as the rows wire-1 and wire-64"
        print(f"{wanted.plot} is left as it was: {needs}, and {wanted.file} has not that", file=sys.stderr)
        sys.exit(USAGE)


if __name__ == "__main__":
    chosen = arguments()
    chosen.act(chosen)
