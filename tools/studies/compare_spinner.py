"""A candidate that keeps the cores busy when it loses, so that the block is void and it gets another deal.

    python -m tools.studies.compare_spinner [--untrusted]

It is the baseline, but once in about twenty games, when it holds many more cards than its opponent, eight processes of
its own run, and it answers late. Prints the answer of the comparison, its void blocks, and how often it span. This is
no test: how many blocks are void depends on what else the machine does.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.compared_bots import QUICK, SANE, bot

TURN_MS = 400
"""A question may take so long. The spinner takes one and a half times as long."""
SPINNER = SANE.replace(
    "    def turn(self, table, options):\n",
    f"""\
    games = spins = 0
    known = 0

    async def turn(self, table, options):
        cards = len(table.hand)
        Sane.games += len(table.claims) < Sane.known  # a new game
        Sane.known = len(table.claims)
        if cards > 10 + min(table.hand_sizes) and Sane.spins <= Sane.games // 20:
            Sane.spins += 1
            print("span", flush=True)
            await asyncio.to_thread(spin, {1.5 * TURN_MS / 1000})  # its other games go on
""",
).replace(
    "class Sane",
    """\
import asyncio, os, time

def spin(seconds):
    ends = time.monotonic() + seconds
    for _ in range(8):
        if not os.fork():
            while time.monotonic() < ends:
                pass
            os._exit(0)
    while time.monotonic() < ends:
        pass

class Sane""",
)


def main(*more: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        spinner, sane = bot(folder, "spinner", SPINNER), bot(folder, "sane", SANE)
        words = ["--candidate", spinner, "--baseline", sane, *QUICK, "--mode", "not-worse", "--budget", "960"]
        limits = ["--turn-ms", TURN_MS, "--call-ms", TURN_MS, "--max-faults", 1, "--data", folder / "data"]
        arena = [Path(sys.executable).with_name("arena"), "compare"]
        subprocess.run([*map(str, [*arena, *words, *limits]), *more], check=False, stderr=subprocess.DEVNULL)
        logs = (folder / "data" / "bots").glob("*.log")
        print(f"span {sum(log.read_text().count('span') for log in logs)} times")


if __name__ == "__main__":
    main(*sys.argv[1:])
