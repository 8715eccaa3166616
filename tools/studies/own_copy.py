"""A bot against its own copy, again and again: how often `arena compare` says yes.

    python -m tools.studies.own_copy [SEEDS]

Better it never is, and not worse it always is: of 20 seeds no more than 4 may be told the first, and 16 at least the
second. The bot throws coins of its own, so that no two games are alike; games are short, and for two.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.commands import ARENA

MOODY: Final = """\
import random
from cheatarena import (Bot, Call, Decline, run)

class Moody(Bot):
    def turn(self, table, options):
        honest = options.largest_honest()
        return honest if honest and random.random() < 0.8 else options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if random.random() < 0.2 else Decline()

if __name__ == "__main__":
    run(Moody)
"""
QUICK: Final = ("--seats", "2", "--set", "max_turns=60", "--field", "sample:honest", "--nodes", "1")
SEEDS: Final = 20


def code(mode: str, seed: int, folder: Path) -> int:
    """Exit code of a comparison of the bot with itself."""
    bot = ["--candidate", str(folder / "moody"), "--baseline", str(folder / "moody")]
    words = [*bot, "--mode", mode, "--seed", str(seed), "--data", str(folder / f"{mode}{seed}"), *QUICK]
    ended = subprocess.run([*ARENA, "compare", *words], capture_output=True, text=True, timeout=600, check=False)
    print(f"{mode} {seed}: exit {ended.returncode}, {ended.stdout.partition(chr(10))[0]}", flush=True)
    return ended.returncode


def main(seeds: int) -> int:
    """Compare with so many seeds in each mode; 0: it says yes no more and no less often than it should."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "moody").mkdir()
        (folder / "moody" / "bot.py").write_text(MOODY)
        ends = {mode: Counter(code(mode, seed, folder) for seed in range(seeds)) for mode in ("better", "not-worse")}
    for mode, codes in ends.items():
        print(f"{mode}: yes {codes[0]}, no {codes[1]}, undecided {codes[2]} of {seeds}")
    return int(ends["better"][0] > seeds / 5 or ends["not-worse"][0] < 4 * seeds / 5)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS))
