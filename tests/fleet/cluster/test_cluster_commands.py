"""A comparison, a match and the plan of a league on a Ray cluster of one machine with one core."""

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from tests.fleet.cluster.test_cluster_league import BOT, LEAGUE, call_arena
from tests.support.commands import ARENA
from tests.support.ray_cluster import RayCluster, start_ray_cluster

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: see `make cluster`"),
]

NOTING = BOT.replace(
    "class Steady(Bot):",
    """from pathlib import Path

class Steady(Bot):
    def match_started(self, table):
        with Path("notes.txt").open("a") as notes, Path("~/notes.txt").expanduser().open("a") as more:
            print(table.seat, file=notes)
            print(table.seat, file=more)
""",
)
"""It writes into its folder and its home, so no two processes may have the same."""


@pytest.fixture(scope="module")
def cluster():
    with start_ray_cluster(1) as cluster:
        yield cluster


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    for name, doubt in (("trusting", 3), ("doubting", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(NOTING.format(doubt=doubt))
    return tmp_path


def run_there(cluster: RayCluster, *words: object) -> "subprocess.CompletedProcess[str]":
    command = [*ARENA, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=cluster.environment)


def check_data(data: Path) -> None:
    """Check that everything is in the runner's folder, and that no bot has played there."""
    assert "everything agrees" in call_arena("audit", "--data", data)
    assert list(data.glob("journals/*.journal"))
    assert not list(data.rglob("notes.txt"))


def test_two_bots_are_compared_on_a_cluster(cluster: RayCluster, bots: Path):
    words = ["compare", "--cluster", "auto", "--data", bots / "data", "--seats", "2", "--budget", "48", "--json"]
    words += ["--candidate", bots / "trusting", "--baseline", bots / "doubting", "--set", "max_turns=60"]
    words += ["--turn-ms", "30000", "--call-ms", "30000"]

    done = run_there(cluster, *words)

    assert done.returncode in (0, 1, 2), done.stderr
    answer = json.loads(done.stdout)
    assert answer["games"] == 48
    conduct = (answer["candidate"], answer["baseline"])
    assert [sum(figures.values()) - figures["decisions"] for figures in conduct] == [0, 0], "no bot has a fault"
    lanes = list(cluster.folder.glob("nodes/cheatarena-node-*/lanes/*"))
    written = [lane / place / "notes.txt" for lane in lanes for place in ("bot", "home")]
    assert len(lanes) >= 6
    assert sum(path.exists() for path in written) >= 12
    check_data(bots / "data")


def test_games_of_a_match_are_played_on_a_cluster(cluster: RayCluster, bots: Path):
    words = (
        "--bot",
        bots / "trusting" / "bot.py",
        "--bot",
        bots / "doubting" / "bot.py",
        "--games",
        4,
        "--set",
        "max_turns=60",
    )

    said = call_arena("match", *words, "--cluster", "auto", "--data", bots / "data", environment=cluster.environment)

    assert "1 node on 1 machine plays 4 games: 4" in said
    check_data(bots / "data")


def test_league_is_planned_for_the_cores_of_a_cluster(cluster: RayCluster, bots: Path):
    (bots / "doubting.py").write_text(NOTING.format(doubt=1))
    (bots / "league.toml").write_text(LEAGUE)

    said = call_arena(
        "league", "plan", bots / "league.toml", "--cluster", cluster.address, environment=cluster.environment
    )

    assert "trying 3 bots on 1 core of 1 machine of the cluster" in said
    assert "games a second on 1 core," in said


def test_bot_that_cannot_be_sent_and_missing_cluster_are_named(cluster: RayCluster, bots: Path):
    (bots / "trusting" / ".venv").mkdir()
    words = ("match", "--bot", bots / "trusting", "--bot", "sample:honest", "--data", bots / "data", "--cluster")

    unsent, lost = (run_there(cluster, *words, address) for address in ("auto", "127.0.0.2:1"))

    assert "trusting cannot play on a cluster: its .venv stays on this machine" in unsent.stderr
    assert "Ray cluster" in lost.stderr
    assert "at 127.0.0.2:1" in lost.stderr
    assert unsent.returncode == ExitCode.BOT_FAILED
    assert lost.returncode
