"""What it costs to pack the journals of a day: `python -m tools.studies.packing [GAMES]`, on POSIX.

Samples play GAMES games of `standard` at tables of four. The server's process then checks and packs their journals.
Beside it a loop sleeps for a millisecond again and again: how late it wakes up is what a decision would wait. In every
other second the process stands still, so that both halves see the same machine, however busy that is. The cost is that
of GAMES, scaled to a day of 10,000 games.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

from arena.server.config.retention_settings import RetentionSettings
from arena.server.store.packed_journals import PACKED, list_journals

_DAY_GAMES: Final = 10_000
_GAMES_A_MATCH: Final = 10
_BOTS: Final = (
    "--bot",
    "sample:honest",
    "--bot",
    "sample:counter",
    "--bot",
    "sample:counter",
    "--bot",
    "sample:honest",
)
_ARENA: Final = (sys.executable, "-c", "from arena.cli.main import main; main()")
_PROCESS: Final = (sys.executable, "-m", "arena.organizer.retention.retention_process")
_WINDOW_S: Final = 1.0
_NEVER_DAYS: Final = 36_500


def play(folder: Path, games: int) -> None:
    """Play matches in a data folder, and one more in another start of a server, whose journal is then the newest."""
    for matches in (max(1, games // _GAMES_A_MATCH), 1):
        how = ("--matches", str(matches), "--at-once", "4", "--games", str(_GAMES_A_MATCH), "--no-fixed-window")
        words = (*_ARENA, "match", *_BOTS, *how, "--data", str(folder), "--json")
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Lateness(NamedTuple):
    """How many seconds late each sleep of a millisecond ended."""

    alone: list[float]
    beside: list[float]


async def measure_lateness(process: subprocess.Popen[bytes]) -> tuple[Lateness, float]:
    """Measure until the process ends. Return also for how many seconds it could run."""
    late, running_s = Lateness([], []), 0.0
    while process.poll() is None:
        for found, number in ((late.alone, signal.SIGSTOP), (late.beside, signal.SIGCONT)):
            process.send_signal(number)
            began = at = time.perf_counter()
            while at < began + _WINDOW_S:
                await asyncio.sleep(0.001)
                now = time.perf_counter()
                found.append(now - at - 0.001)
                at = now
        running_s += at - began
    return late, running_s


def pack(folder: Path, after_days: int) -> tuple[float, float, Lateness]:
    """Run the process. Return its seconds of processor time, those in which it could run, and the lateness."""
    terms = json.dumps(asdict(RetentionSettings(pack_after_days=after_days)))
    before = os.times()
    with subprocess.Popen([*_PROCESS, str(folder), terms], stdin=subprocess.PIPE) as process:
        late, running_s = asyncio.run(measure_lateness(process))
    if process.returncode:
        sys.exit(f"the process ended with {process.returncode}")
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return used_s, running_s, late


def describe_lateness(late: list[float]) -> str:
    late = sorted(late)
    at = [f"{share:.1%} {late[int(share * (len(late) - 1))] * 1e3:.2f} ms" for share in (0.5, 0.99, 0.999)]
    return f"{', '.join(at)}, most {late[-1] * 1e3:.1f} ms"


def main(games: int) -> None:
    """Play, pack and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(folder, games)
        start_s, start_wall_s, _ = pack(folder, _NEVER_DAYS)
        used_s, wall_s, late = pack(folder, 0)
        packed = [each for each in list_journals(folder) if each.state == PACKED]
    size, stored = sum(each.byte_count for each in packed), sum(each.stored_byte_count for each in packed)
    scale, work_s, running_s = _DAY_GAMES / games, used_s - start_s, wall_s - start_wall_s
    print(f"the process starts in {start_s:.1f} s of a core")
    print(f"{games} games: {work_s:.1f} s of a core in {running_s:.0f} s, {work_s / running_s:.1%} of it")
    print(f"{size / games / 1e3:.0f} KB a game became {stored / games / 1e3:.0f} KB ({stored / size:.0%})")
    print(f"a day of {_DAY_GAMES:,} games: {work_s * scale:.0f} s of a core, in {running_s * scale / 3600:.1f} hours")
    print(f"a wake-up is late by: {describe_lateness(late.alone)} while it stands still")
    print(f"                      {describe_lateness(late.beside)} while it packs")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
