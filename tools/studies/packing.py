"""What it costs to pack the journals of a day: `python -m tools.studies.packing [GAMES]`.

Samples play GAMES games of `standard` at tables of four. The server's process then checks and packs their journals,
while a loop beside it sleeps for a millisecond again and again: how late it wakes up is what a decision would wait. The
cost is that of GAMES, scaled to a day of 10,000 games.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

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
_IDLE_S: Final = 10.0


def play(folder: Path, games: int) -> None:
    """Play matches in a data folder, and one more in another start of a server, whose journal is then the newest."""
    for matches in (max(1, games // _GAMES_A_MATCH), 1):
        how = ("--matches", str(matches), "--at-once", "4", "--games", str(_GAMES_A_MATCH), "--no-fixed-window")
        words = (*_ARENA, "match", *_BOTS, *how, "--data", str(folder), "--json")
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


async def measure_lateness(is_over: Callable[[], bool]) -> list[float]:
    """Return how many seconds late each sleep of a millisecond ended, in ascending order."""
    late = []
    while not is_over():
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append(time.perf_counter() - began - 0.001)
    return sorted(late)


def pack(folder: Path) -> tuple[float, float, list[float]]:
    """Run the process. Return its seconds of processor time and of wall time, and the lateness beside it."""
    terms = json.dumps(asdict(RetentionSettings(pack_after_days=0)))
    began, before = time.perf_counter(), os.times()
    with subprocess.Popen([*_PROCESS, str(folder), terms], stdin=subprocess.PIPE) as process:
        late = asyncio.run(measure_lateness(lambda: process.poll() is not None))
        wall_s = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"the process ended with {process.returncode}")
    after = os.times()
    used_s = after.children_user + after.children_system - before.children_user - before.children_system
    return used_s, wall_s, late


def describe_lateness(late: list[float]) -> str:
    at = [f"{share:.1%} {late[int(share * (len(late) - 1))] * 1e3:.2f} ms" for share in (0.5, 0.99, 0.999)]
    return f"{', '.join(at)}, most {late[-1] * 1e3:.1f} ms"


def main(games: int) -> None:
    """Play, pack and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(folder, games)
        ends_at = time.perf_counter() + _IDLE_S
        idle = asyncio.run(measure_lateness(lambda: time.perf_counter() > ends_at))
        used_s, wall_s, late = pack(folder)
        packed = [each for each in list_journals(folder) if each.state == PACKED]
    size, stored = sum(each.byte_count for each in packed), sum(each.stored_byte_count for each in packed)
    scale = _DAY_GAMES / games
    print(f"{games} games: {used_s:.1f} s of a core in {wall_s:.0f} s, {used_s / wall_s:.1%} of it")
    print(f"{size / games / 1e3:.0f} KB a game became {stored / games / 1e3:.0f} KB ({stored / size:.0%})")
    print(f"a day of {_DAY_GAMES:,} games: {used_s * scale:.0f} s of a core, in {wall_s * scale / 3600:.1f} hours")
    print(f"a wake-up is late by: {describe_lateness(idle)} alone")
    print(f"                      {describe_lateness(late)} beside the process")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
