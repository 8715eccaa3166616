"""Runs the simulation over many seeds: `python -m tests.simulation.run COUNT [FIRST]`. Prints each failing seed."""

import sys
import time

from tests.simulation.simulation import RunResult, run_seed

PROGRESS_S = 10.0
SHOWN_LINES = 40
"""Lines of a failing seed's trace that are shown."""


def run_seeds(count: int, first: int) -> int:
    """Run seeds and print what they show; return the number of failing ones."""
    began, told, failing = time.monotonic(), time.monotonic(), 0
    for number, seed in enumerate(range(first, first + count), 1):
        result = run_seed(seed)
        if result.violations:
            failing += 1
            print(describe_failure(result), flush=True)
        if time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"{number} seeds, {number / (told - began):.1f} a second, {failing} failing", flush=True)
    spent = time.monotonic() - began
    print(f"{count} seeds from {first}: {failing} failing, {count / spent:.1f} a second, {spent:.0f} s")
    return failing


def describe_failure(result: RunResult) -> str:
    """Return what a failing seed has shown, with the end of its trace."""
    lines = [f"seed {result.seed} fails: {result.violations[0]}", *result.trace[-SHOWN_LINES:]]
    return "\n    ".join(lines) + f"\nagain: make simulate SEEDS=1 FIRST={result.seed}"


if __name__ == "__main__":
    sys.exit(run_seeds(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1) > 0)
