"""Names the tests that failed in the last run, and refuses to go on if they are too many.

`make test-again` uses it. A test with real processes and clocks may fail on a machine that is busy with something else.
Such a test is tried once more, alone, and is named here, so that somebody mends it. A fault of the program fails again.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

LAST_FAILED = Path(".pytest_cache/v/cache/lastfailed")


def failed_tests(cache: Path) -> list[str]:
    """Return the ids of the tests that failed in the last run; none if no run has failed."""
    return sorted(json.loads(cache.read_text(encoding="utf-8"))) if cache.exists() else []


def main(words: Sequence[str]) -> int:
    """Print the failed tests. Return 1 if there are none, or more than `--most`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, required=True, help="the most failed tests")
    parser.add_argument("--cache", type=Path, default=LAST_FAILED, help="where pytest keeps what failed")
    asked = parser.parse_args(words)
    most, failed = asked.most, failed_tests(asked.cache)
    for test in failed:
        print(f"failed, to be tried once more: {test}")
    if not failed:
        print("no test is known to have failed, so there is nothing to try again")
    elif len(failed) > most:
        print(f"{len(failed)} tests failed, and at most {most} are tried again")
    return int(not 0 < len(failed) <= most)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
