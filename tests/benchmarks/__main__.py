"""How fast the arena is here: `make bench`, or `python -m tests.benchmarks --help`. The README explains the figures."""

import argparse
import asyncio
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks.engine import EngineRow, engine_rows
from tests.benchmarks.rows import Row, calibration_us, decisions_row, echo_row

ROWS = ("echo-single", "echo-batched", "1", "8", "64", "256", "1000", "single-1", "single-8", "single-64")
QUIET_US = 0.6
"""`sum(range(100))` on the machine that the README's figures come from, when nothing else ran."""

_HEAD = (
    f"{'row':13}{'rate/s':>9}{'server us':>11}{'bots us':>9}{'per frame in':>14}{'out':>7}"
    f"{'p50 ms':>9}{'p99 ms':>9}{'others':>8}{'cal us':>8}{'server/cal':>12}"
)


async def measure(name: str, seconds: float) -> Row:
    """Measure one row."""
    if name == "echo-single":
        return await echo_row(name, seconds, streams=1, batch=1)
    if name == "echo-batched":
        return await echo_row(name, seconds, streams=2, batch=25)
    kind, _, matches = name.rpartition("-")
    return await decisions_row(name, int(matches), seconds, kind)


def line(row: Row) -> str:
    """One line of the table."""

    def text(value: float | None, width: int, digits: int) -> str:
        return f"{'-':>{width}}" if value is None else f"{value:{width},.{digits}f}"

    return (
        f"{row.name:13}{text(row.rate, 9, 0)}{text(row.server_us, 11, 1)}{text(row.bots_us, 9, 1)}"
        f"{text(row.per_frame_in, 14, 1)}{text(row.per_frame_out, 7, 1)}{text(row.p50_ms, 9, 2)}"
        f"{text(row.p99_ms, 9, 2)}{text(row.others, 8, 2)}{text(row.calibration_us, 8, 2)}"
        f"{text(row.server_us / row.calibration_us, 12, 0)}  {row.remark}"
    ).rstrip()


async def run(names: list[str], seconds: float) -> list[Row]:
    """Measure rows one after another, and print each."""
    print(
        f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}; calibration {calibration_us():.2f} us "
        f"({QUIET_US} on the machine of the README when quiet); {seconds:g} s a row"
    )
    print(_HEAD, flush=True)
    rows = []
    for name in names:
        rows.append(await measure(name, seconds))
        print(line(rows[-1]), flush=True)
    return rows


def run_engine(seconds: float) -> list[EngineRow]:
    """Measure the rules alone, and print each."""
    print(f"\n{'rules alone':22}{'decisions/s':>13}{'us each':>9}", flush=True)
    rows = engine_rows(seconds)
    for row in rows:
        print(f"{row.name:22}{row.rate:13,.0f}{row.us:9.2f}", flush=True)
    return rows


def main() -> None:
    """Read the arguments, print the table, write the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="measured span of a row (default: %(default)s)")
    parser.add_argument("--rows", nargs="+", metavar="ROW", help=f"of {' '.join(ROWS)}, or others; none: all of them")
    parser.add_argument("--engine", action="store_true", help="the rules alone too; without --rows nothing else")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    wanted = parser.parse_args()
    names = wanted.rows or ([] if wanted.engine else list(ROWS))
    rows = asyncio.run(run(names, wanted.seconds)) if names else []
    engine = run_engine(wanted.seconds / 4) if wanted.engine or not wanted.rows else []
    if wanted.json:
        figures = [*map(asdict, rows), *map(asdict, engine)]
        wanted.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
