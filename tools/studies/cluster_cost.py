"""What a decision costs the server on a Ray cluster, beside the same league on this machine: `make cluster-cost`.

The league is played here and there in turns, by quick bots at two nodes. Counted is the processor time (user and
system) of runner, bridge, actors and nodes between two of the league's games, so starts do not count. Bots and the
processes of Ray itself are named apart.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tests.support.commands import ARENA
from tests.support.ray_cluster import RayCluster, start_ray_cluster

NODES: Final = 2
GAMES: Final = 150
PAIRS: Final = 5
SPAN: Final = (0.2, 0.8)
"""The shares of the league's games between which is measured."""
SERVER: Final = ("runner", "bridge", "actor", "node")
LEAGUE: Final = """\
name = "cost"
format = "season"
games = {games}
seats = 4
[pace_settings]
turn_ms = 600000
call_ms = 600000
[rules]
max_turns = 200
"""
BOTS: Final = ("counter", "honest", "gambler", "random_legal")


def find_part(process: psutil.Process, runner: int) -> str:
    """Return which part of the arena or of Ray a process is."""
    words = " ".join(process.cmdline())
    if process.pid == runner:
        return "runner"
    for mark, part in (("cluster.bridge", "bridge"), ("NodeActor", "actor"), ("runner.node_main", "node")):
        if mark in words:
            return part
    if "sample_bots" in words or "cheatarena" in words:
        return "bots"
    return "Ray" if "ray" in words else ""


def read_times(runner: int, cluster: RayCluster | None) -> Mapping[str, float]:
    """Return the processor time in seconds of each part so far."""
    spent = defaultdict[str, float](float)
    roots = [runner, *(machine.pid for machine in (cluster.machines if cluster else ()))]
    for root in roots:
        with suppress(psutil.Error):
            for process in (psutil.Process(root), *psutil.Process(root).children(recursive=True)):
                with suppress(psutil.Error):
                    times = process.cpu_times()
                    spent[find_part(process, runner)] += times.user + times.system
    return spent


def count_decisions(data: Path) -> tuple[int, int]:
    """Return how many games of a league have ended, and how many decisions these had."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(data / "arena.db")) as database:
        rows = database.execute("SELECT statistics FROM match WHERE state = 'ended'").fetchall()
        found = [json.loads(row[0]) for row in rows]
        return len(found), sum(each["decisions"] for match in found for each in match)
    return 0, 0


def play(folder: Path, games: int, cluster: RayCluster | None) -> dict[str, float]:
    """Play a league. Return the microseconds a decision of each part, and the decisions a second."""
    data, file = folder / "data", folder / "league.toml"
    file.write_text(LEAGUE.format(games=games) + "".join(f'[[entrants]]\nbot = "sample:{name}"\n' for name in BOTS))
    words = [*ARENA, "league", "run", str(file), "--data", str(data), "--nodes", str(NODES)]
    looks: list[tuple[float, int, Mapping[str, float]]] = []
    with subprocess.Popen(
        [*words, *(["--cluster", cluster.address] if cluster else [])],
        stdout=subprocess.DEVNULL,
        env=cluster.environment if cluster else None,
    ) as running:
        while running.poll() is None and len(looks) < len(SPAN):
            ended, decisions = count_decisions(data)
            if ended >= games * SPAN[len(looks)]:
                looks.append((time.monotonic(), decisions, read_times(running.pid, cluster)))
            time.sleep(0.2)
        running.wait()
    (began, before, spent_before), (ended_at, after, spent) = looks
    decisions = after - before
    costs = {part: 1e6 * (spent[part] - spent_before[part]) / decisions for part in (*SERVER, "bots", "Ray")}
    return costs | {"server": sum(costs[part] for part in SERVER), "rate": decisions / (ended_at - began)}


def describe(costs: dict[str, float]) -> str:
    return ", ".join(f"{part} {cost:.0f}" for part, cost in costs.items() if cost)


def main() -> None:
    games, pairs = (int(word) for word in sys.argv[1:] or (str(GAMES), str(PAIRS)))
    ratios = []
    with start_ray_cluster(NODES) as cluster:
        for _ in range(pairs):
            both = []
            for place in (None, cluster):
                folder = Path(tempfile.mkdtemp())
                both.append(play(folder, games, place))
                shutil.rmtree(folder)
                print("on the cluster:" if place else "here:          ", describe(both[-1]), flush=True)
            ratios.append(both[1]["server"] / both[0]["server"])
    span = f"{min(ratios):.2f} to {max(ratios):.2f}"
    print(f"microseconds a decision; server on the cluster / here: {median(ratios):.2f} ({span})")


if __name__ == "__main__":
    main()
