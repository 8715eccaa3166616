"""How long the scripts of the action take for a new pull request, without any cache, until the first game is over.

    python -m tools.studies.workflow_cold_start [RUNS]

The wheels are built here and named by path, each with its hash. A new environment stands for the Python that the
action sets up, and `HOME` is empty, so every other package comes from the registry. The bots are small scripts.
"""

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.action import Action
from tests.support.compared_bots import FOOL, SANE
from tests.support.repository import check_out, make_pull_request
from tests.support.wheels import ROOT, build_wheels

BOT: Final = "bots/mine"
LOCK: Final = "bots/arena.txt"
BUDGET: Final = "20s"
"""The comparison ends soon after its first game. What comes before does not depend on the budget."""
POLL_S: Final = 0.05
STEP_LIMIT_S: Final = 600.0


def lock_arena(folder: Path) -> str:
    """Build both wheels, and return a requirements file that names them and all that they need, each with its hash."""
    named = [f"{name} @ {wheel.as_uri()}\n" for name, wheel in build_wheels(folder).items()]
    (folder / "arena.in").write_text("".join(named))
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    subprocess.run([*uv, "arena.in", "--output-file", "arena.txt"], cwd=folder, check=True)
    return (folder / "arena.txt").read_text()


def is_game_over(data: Path) -> bool:
    """Return whether the store has a finished game."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)) as store:
        return bool(store.execute("SELECT count(*) FROM game").fetchone()[0])
    return False


def measure(folder: Path, arena: str) -> tuple[float, float]:
    """Run the action in an empty folder. Return the seconds for the installation, and until the first game is over."""
    before = {f"{BOT}/bot.py": FOOL, LOCK: arena}
    origin = make_pull_request(folder, before, {f"{BOT}/bot.py": SANE})
    workspace, temp, home = check_out(origin, folder / "workspace", 2), folder / "temp", folder / "home"
    temp.mkdir()
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", str(folder / "python")], check=True)
    path = os.pathsep.join([str(folder / "python" / "bin"), os.environ["PATH"]])
    inputs = {"bot": BOT, "arena": LOCK, "budget": BUDGET}
    environment = {"PATH": path, "HOME": str(home)}
    action = Action(
        ROOT / "action.yml", workspace, temp, inputs, environment, time_limit_s=STEP_LIMIT_S, outputs={"cache": {}}
    )
    action.run(["Check out the baseline"])
    install = time.time()
    action.run(["Install the arena"])
    build = time.time()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(action.run, ["Build the baseline", "Compare"])
        while not is_game_over(temp / "arena") and not running.done():
            time.sleep(POLL_S)
        ended = time.time()
        running.result()
    assert action.code in (0, 1, 2), action.log
    return build - install, ended - install


def main(runs: int) -> None:
    """Print the figures of each run."""
    with TemporaryDirectory() as name:
        wheels = Path(name, "wheels")
        wheels.mkdir()
        arena = lock_arena(wheels)
        for number in range(runs):
            folder = Path(name, f"run{number}")
            folder.mkdir()
            installed, first_game = measure(folder, arena)
            figures = f"installed after {installed:.1f} s, first game over after {first_game:.1f} s"
            print(f"{figures}; mean load of the last minute {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
