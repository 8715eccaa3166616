"""Small bots for tests that start programs: they play well, badly, or not at all."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HEAD = """\
import os, sys, time
from cheatarena import (Bot, Call, Decline, Play, Rank, run)

class Tested(Bot):
"""
_TAIL = """

if __name__ == "__main__":
    run(Tested)
"""
_PLAYS = """\
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()
"""

SCRIPTS = {
    # Plays a game to its end.
    "honest": _HEAD + _PLAYS + _TAIL,
    # Calls every third move, after a measurable delay.
    "doubter": "import asyncio\n"
    + _HEAD
    + _PLAYS
    + """\
    windows = 0

    async def call_window(self, table, claim):
        self.windows += 1
        if self.windows % 3:
            return Decline()
        await asyncio.sleep(0.03)
        return Call()
"""
    + _TAIL,
    # First lays too many cards, and then one card after the refusal.
    "stubborn": _HEAD
    + """\
    tries = 0

    def turn(self, table, options):
        self.tries += 1
        return Play(tuple(sorted(table.hand))[: 7 if self.tries == 1 else 1], Rank.ACE)
"""
    + _TAIL,
    # Declines every call, and never answers its own turns.
    "dreamer": "import asyncio\n"
    + _HEAD
    + """\
    async def turn(self, table, options):
        await asyncio.sleep(3600)
"""
    + _TAIL,
    # Prints a line and ends the process in the middle of its first game.
    "dier": _HEAD
    + """\
    def turn(self, table, options):
        print("I had enough", flush=True)
        os._exit(7)
"""
    + _TAIL,
    # Ends the process at its first turn, as a program does that calls `exit` somewhere.
    "quitter": _HEAD
    + """\
    def turn(self, table, options):
        sys.exit()
"""
    + _TAIL,
    # Is killed at its first turn, as by the kernel when memory runs out. A child of it keeps its connection open.
    "victim": "import signal\n"
    + _HEAD
    + """\
    def turn(self, table, options):
        if os.fork() == 0:
            time.sleep(600)
        os.kill(os.getpid(), signal.SIGKILL)
"""
    + _TAIL,
    # Prints its process id and never answers, while its process is idle.
    "thinker": "import asyncio\n"
    + _HEAD
    + """\
    def game_started(self, table):
        print("pid", os.getpid(), flush=True)

    async def turn(self, table, options):
        await asyncio.sleep(3600)

    async def call_window(self, table, claim):
        await asyncio.sleep(3600)
"""
    + _TAIL,
    # Prints a line when its third game begins, in whatever match, and from then on moves only when its folder has a
    # file `go`.
    "waiter": "import asyncio\n"
    + _HEAD
    + """\
    games = 0

    def game_started(self, table):
        Tested.games += 1
        if self.games == 3:
            print("third game", flush=True)

    async def turn(self, table, options):
        while self.games > 2 and not os.path.exists("go"):
            await asyncio.sleep(0.02)
        return options.largest_honest() or options.smallest_lie()
"""
    + _TAIL,
    # Ends before it connects.
    "broken": "print('about to fail')\nraise SystemExit(5)\n",
    # Never connects.
    "mute": "import time\nprint('thinking about it', flush=True)\ntime.sleep(60)\n",
}


_MANIFEST = """\
name = "{name}"
command = ["{python}", "-u", "bot.py"]
start_time_s = {start_time_s}
"""


def write_bots(folder: Path) -> Path:
    """Write every bot into a folder, each as NAME/bot.toml. All but `mute` may take a minute to start."""
    for name, text in SCRIPTS.items():
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        (home / "bot.py").write_text(text, encoding="utf-8")
        start_time_s = 0.5 if name == "mute" else 60
        manifest = _MANIFEST.format(name=name, python=sys.executable, start_time_s=start_time_s)
        (home / "bot.toml").write_text(manifest, encoding="utf-8")
    return folder


@contextmanager
def bot_process(script: Path, address: str, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a bot program of the SDK that keeps its instance over restarts."""
    environment = {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": token, "CHEATARENA_INSTANCE": "one"}
    process = subprocess.Popen([sys.executable, script], env=os.environ | environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(5)
