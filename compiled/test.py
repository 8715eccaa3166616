"""Runs tests on the files of both compiled wheels: `python -m compiled.test WHEELS FOLDER [PYTEST ARGUMENTS]`.

WHEELS is the folder with the wheels. They are unpacked in FOLDER. The tests and what they read are linked into it, so
that nothing is imported from the checkout. With `again` for WHEELS, the tests that just failed in FOLDER run once more.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from compiled.modules import ROOT

TESTED: Final = (
    "match", "server/wire", "server/node", "games/cheat", "games/cheater", "games/sdk_values", "games/secrecy",
    "replays/archive", "replays/decisions", "replays/library", "replays/narration", "replays/proof", "playthroughs",
    "sdk", "sample_bots/test_samples.py", "author/practice", "compiled", "envs",
)  # fmt: skip
_LINKED: Final = (
    "conftest.py",
    "tests",
    "tools",
    "docs",
    "proto",
    "sdk",
    "deploy",
    "docker",
    "compiled",
    "pyproject.toml",
    "README.md",
    "Makefile",
    ".venv",
)
_PROGRAM: Final = """\
import sys
import pytest
from arena.compiled_build import check_compiled_builds, describe_build
check_compiled_builds()
import arena.games.cheat.rules.state, arena.author.practice.seats, cheatarena.cheat.state
for each in (arena.games.cheat.rules.state, arena.author.practice.seats, cheatarena.cheat.state):
    assert not each.__file__.endswith(".py"), each.__file__
print(describe_build())
sys.exit(pytest.main(sys.argv[1:]))
"""


def unpack_wheels(wheels: Path, folder: Path) -> None:
    """Unpack wheels as an installer does, and link what tests read. An earlier copy in the folder is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
    for name in (*_LINKED, *(f"sample_bots/{each.name}" for each in (ROOT / "sample_bots").iterdir())):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)


def run_tests(copy: Path, arguments: list[str]) -> int:
    """Run the tests on a compiled copy, and return pytest's exit code."""
    environment = os.environ | {"PYTHONPATH": str(copy.resolve())}
    rooms = [f"tests/{room}" for room in TESTED]
    cache = f"cache_dir={copy.resolve() / '.pytest_cache'}"
    options = ["-m", "not replaces_code and not slow", "-o", "pythonpath=", "-o", cache, *arguments]
    command = [sys.executable, "-P", "-c", _PROGRAM, *options, *rooms]
    return subprocess.run(command, cwd=copy, env=environment, check=False).returncode  # noqa: S603  our own words


if __name__ == "__main__":
    wheels, folder, arguments = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if wheels == "again":
        arguments += ["--last-failed", "--last-failed-no-failures", "none", "--numprocesses", "0"]
    else:
        unpack_wheels(Path(wheels), folder)
    sys.exit(run_tests(folder, arguments))
