"""What is said before a node starts: Ray is missing or too old, machines differ, the league does not suit."""

import importlib.metadata
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.league import plan
from arena.errors import NotInstalledError
from arena.fleet.cluster.cluster_fleet import open_cluster
from arena.fleet.cluster.machine import Machine
from arena.fleet.runner.fleet import Fleet, FleetRoom, StartedNode
from arena.organizer.compare.comparison import default_node_count
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.plan.trial_result import TrialResult
from tests.organizer.plan.test_league_plan import BUSY
from tests.support.commands import run_arena

LEAGUE = """\
name = "small"
format = "season"
games = 4
seats = 2
[[entrants]]
bot = "sample:honest"
[[entrants]]
bot = "{second}"
"""


def find_no_package(name: str) -> str:
    raise importlib.metadata.PackageNotFoundError(name)


@pytest.mark.parametrize(
    ("find_version", "sentence"),
    [
        (find_no_package, r"a cluster needs Ray: install cheatarena-server\[cluster\]"),
        (lambda _: "2.9.3", r"Ray 2\.9\.3 is too old: install cheatarena-server\[cluster\]"),
    ],
)
async def test_ray_that_cannot_be_used_is_named(monkeypatch, find_version, sentence):
    monkeypatch.setattr(importlib.metadata, "version", find_version)

    with pytest.raises(NotInstalledError, match=sentence):
        async with open_cluster("auto"):
            pass


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({}, ""),
        ({"python": "3.99"}, "has Python 3.99, and this machine 3."),
        ({"system": "Linux riscv64"}, "is Linux riscv64, and this machine "),
        ({"build": "0" * 64}, "has another version of the arena than this machine"),
    ],
)
def test_machine_that_differs_is_described(change, difference):
    here = Machine.describe()

    found = here.find_difference(replace(here, **change))

    assert found.startswith(difference)
    assert bool(found) is bool(difference)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--cluster", "auto"), "bots that connect by themselves"),
        (("--cluster", "auto", "--server", "localhost:1"), "leave it out with --server"),
    ],
)
def test_league_that_a_cluster_cannot_play_is_refused(capsys, tmp_path: Path, options, sentence):
    file = tmp_path / "league.toml"
    file.write_text(LEAGUE.format(second="remote:ann"))

    refused = run_arena(capsys, "league", "run", file, "--data", tmp_path / "data", *options)

    assert refused.code == ExitCode.USAGE
    assert sentence in refused.last_line


COMPARED = ("compare", "--baseline", "sample:honest", "--candidate", "sample:counter")
MATCH = ("match", "--bot", "sample:honest", "--bot")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((*COMPARED, "--keep-state"), "on a cluster no lane keeps files"),
        ((*COMPARED, "--untrusted"), "need boxes, which only this machine has"),
        ((*MATCH, "remote:ann"), "bots that connect by themselves"),
        ((*MATCH, "sample:counter", "--untrusted"), "need boxes, which only this machine has"),
        ((*MATCH, "sample:counter", "--server", "there:1"), "leave out --cluster"),
        ((*MATCH, "sample:counter", "--port", "4711"), "no bot can dial a node of a cluster"),
        ((*MATCH, "sample:counter", "--matches", "2"), "--games are shared among the nodes"),
        ((*MATCH, "sample:counter", "--show-output", "honest"), "stays on the machines of the cluster"),
    ],
)
def test_what_a_cluster_cannot_play_is_refused(capsys, tmp_path: Path, words, sentence):
    refused = run_arena(capsys, *words, "--cluster", "auto", "--data", tmp_path / "data")

    assert (refused.code, sentence in refused.last_line) == (ExitCode.USAGE, True), refused
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("words", [COMPARED, (*MATCH, "sample:counter"), ("league", "plan"), ("league", "seal")])
def test_every_command_with_a_cluster_needs_ray(capsys, tmp_path: Path, monkeypatch, words):
    monkeypatch.setattr(importlib.metadata, "version", find_no_package)
    file = tmp_path / "league.toml"
    file.write_text(LEAGUE.format(second="sample:counter").replace("games = 4", 'budget = "1m"'))
    files = [file] if words[0] == "league" else []

    refused = run_arena(capsys, *words, *files, "--cluster", "auto", "--data", tmp_path / "data")

    assert refused.last_line.endswith("a cluster needs Ray: install cheatarena-server[cluster]")


class NoNodes:
    """Implements `Fleet`, as far as its room."""

    room = FleetRoom(machines=2, cores=3, max_processes=16)
    is_away = True

    async def start_node(self) -> StartedNode:
        pytest.fail("no node is wanted")


async def test_plan_is_for_the_cores_of_the_cluster(capsys, tmp_path: Path, monkeypatch):
    @asynccontextmanager
    async def open_fleet(address: str) -> AsyncIterator[Fleet]:
        assert address == "auto"
        yield NoNodes()

    async def run_trial(file: LeagueFile, nodes: int, processes: int, *, fleet: Fleet, **_: object) -> TrialResult:
        assert (nodes, processes, fleet.is_away) == (3, 16, True)
        return BUSY

    monkeypatch.setattr(plan, "open_fleet", open_fleet)
    monkeypatch.setattr(plan, "run_trial", run_trial)
    file = tmp_path / "league.toml"
    file.write_text(LEAGUE.format(second="sample:counter"))

    await plan.show_plan(file, None, None, "auto", data=tmp_path / "data", is_json=False)

    said = capsys.readouterr()
    assert "trying 2 bots on 3 cores of 2 machines of the cluster" in said.err
    assert "games a second on 3 cores" in said.out


@pytest.mark.parametrize(
    ("machines", "cores", "nodes"), [(1, 1, 1), (1, 2, 1), (1, 8, 2), (3, 3, 3), (3, 12, 4), (3, 2, 2)]
)
def test_comparison_has_a_node_on_each_machine_with_a_core(machines, cores, nodes):
    assert default_node_count(FleetRoom(machines, cores, 16)) == nodes


def test_league_loads_no_ray():
    program = "import sys, arena.cli.league.run; print('ray' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"
