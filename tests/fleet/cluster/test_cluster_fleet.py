"""What is said before a node starts: Ray is missing or too old, machines differ, the league does not suit."""

import importlib.metadata
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.errors import NotInstalledError
from arena.fleet.cluster.cluster_fleet import open_cluster
from arena.fleet.cluster.machine import Machine
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


def test_league_loads_no_ray():
    program = "import sys, arena.cli.league.run; print('ray' in sys.modules)"

    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "False"
