"""Measures the arena's speed: `make bench`, or `python -m tools.benchmarks --help`. The README explains the figures."""

import argparse
import asyncio
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import grpc

from arena.compiled_build import describe_build
from tools.benchmarks.plot import COLOURS, write_plot
from tools.benchmarks.row import Row, read_rows, write_rows
from tools.benchmarks.suite import FULL, measurements, run
from tools.benchmarks.table import comparison, table
from tools.benchmarks.turns import benchmark_of, take_turns

RUNS = 5
USAGE = 64


def machine() -> str:
    system = f"{platform.system()} {platform.machine()}"
    return f"{os.cpu_count()} cores, {describe_build()}, grpcio {grpc.__version__}, {system}"


def measure(wanted: argparse.Namespace) -> None:
    """Measure, print the table, and write the figures to a file if one is wanted."""
    size = replace(FULL, seconds=wanted.seconds)
    names = wanted.rows or list(measurements(size))
    rows = asyncio.run(run(size, names, wanted.runs, tell))
    print(f"{machine()}; median of {wanted.runs} runs of {wanted.seconds:g} s\n{table(rows)}")
    if wanted.json:
        write_rows(rows, machine(), wanted.json)


def measure_in_turns(wanted: argparse.Namespace) -> None:
    """Measure several copies of the arena in turns. Print each table, and pair the rows of each with the next."""
    flags = ["--seconds", str(wanted.seconds), *(["--rows", *wanted.rows] if wanted.rows else [])]
    folders = dict(wanted.copies)
    wanted.out.mkdir(parents=True, exist_ok=True)

    def keep(name: str, rows: Sequence[Row]) -> None:
        write_rows(rows, f"{name}, {machine()}", wanted.out / f"{name}.json")

    measured = take_turns(folders, wanted.runs, flags, tell, keep)
    for name, rows in measured.items():
        print(f"{name}\n{table(rows)}\n")
    for before, after in pairwise(measured):
        print(f"{before} and {after}\n{comparison(measured[before], measured[after])}\n")


def tell(progress: str) -> None:
    """Print a line about what runs now."""
    print(progress, file=sys.stderr, flush=True)


def named_folder(text: str) -> tuple[str, Path]:
    """Return the name and the folder from a text such as `compiled=dist/compiled-copy`. Raises ArgumentTypeError."""
    name, _, folder = text.partition("=")
    if not (name and folder and benchmark_of(Path(folder))):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FOLDER with a folder that has tools/benchmarks")
    return name, Path(folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks", description=__doc__)
    parser.set_defaults(act=measure, seconds=FULL.seconds, rows=[], runs=RUNS, json=None)
    commands = parser.add_subparsers(metavar="COMMAND")
    running = commands.add_parser("run", help="measure; without a command too")
    running.add_argument("--rows", nargs="+", metavar="ROW", choices=list(measurements(FULL)), help="only these")
    running.add_argument("--runs", type=int, default=RUNS, help="rounds over all rows (default: %(default)s)")
    running.add_argument("--seconds", type=float, default=FULL.seconds, help="of a row (default: %(default)s)")
    running.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    turns = commands.add_parser("turns", help="measure several copies of the arena in turns, and pair their rows")
    turns.add_argument(
        "copies",
        nargs="+",
        type=named_folder,
        metavar="NAME=FOLDER",
        help="a name for the rows, and the folder of a copy",
    )
    turns.add_argument("--rows", nargs="+", metavar="ROW", default=[], help="only these, which all copies have")
    turns.add_argument("--runs", type=int, default=RUNS, help="rounds over all copies (default: %(default)s)")
    turns.add_argument("--seconds", type=float, default=FULL.seconds, help="of a row (default: %(default)s)")
    turns.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="write NAME.json for each copy here")
    turns.set_defaults(act=measure_in_turns)
    comparing = commands.add_parser("compare", help="pair the rows of two files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.set_defaults(act=lambda each: print(comparison(read_rows(each.before), read_rows(each.after))))
    showing = commands.add_parser("show", help="print the tables of files, and draw one plot of all")
    showing.add_argument("files", type=Path, nargs="+", metavar="FILE", help="the plot calls each by the file's name")
    showing.add_argument("--plot", type=Path, metavar="SVG", help="where to draw")
    showing.set_defaults(act=show)
    return parser.parse_args()


def show(wanted: argparse.Namespace) -> None:
    """Print the tables of files, and draw their plot. Exit with 64 if a file has too few rows for a plot."""
    shown = {path.stem: read_rows(path) for path in wanted.files}
    if wanted.plot and not len(wanted.files) == len(shown) <= len(COLOURS):
        print(f"a plot has up to {len(COLOURS)} files, each with a name of its own", file=sys.stderr)
        sys.exit(USAGE)
    print("\n\n".join(table(rows) for rows in shown.values()))
    if wanted.plot and not write_plot(shown, wanted.plot):
        needs = "the plot needs two numbers of matches or more in each file, such as the rows wire-1 and wire-64"
        print(f"{wanted.plot} is left as it was: {needs}", file=sys.stderr)
        sys.exit(USAGE)


if __name__ == "__main__":
    chosen = arguments()
    chosen.act(chosen)
