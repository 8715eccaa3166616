"""Runs the tests of the compiled rooms on a compiled copy: `python -m compiled.test FOLDER [PYTEST ARGUMENTS]`.

The copy is made anew. The tests and what they read are linked into it, so that nothing is imported from the checkout.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from compiled.build import ROOT, build_copy

TESTED: Final = ("rules", "deal", "match", "feed", "wire", "node", "replays", "secrecy", "playthroughs")
_LINKED: Final = ("tests", "docs", "proto", "sdk", "deploy", "docker", "compiled")
_PROGRAM: Final = """\
import sys
import pytest
from arena.compiled_build import check_compiled_build, describe_build, read_compiled_build
assert read_compiled_build() is not None, "the copy is not compiled"
import arena.rules.cheat.state as state
assert not state.__file__.endswith(".py"), state.__file__
check_compiled_build()
print(describe_build())
sys.exit(pytest.main(sys.argv[1:]))
"""


def run_tests(copy: Path, arguments: list[str]) -> int:
    """Run the tests on a compiled copy, and return pytest's exit code."""
    for name in _LINKED:
        (copy / name).symlink_to(ROOT / name)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(copy.resolve()), str(ROOT / "sdk")])}
    rooms = [f"tests/{room}" for room in TESTED]
    command = [
        sys.executable,
        "-P",
        "-c",
        _PROGRAM,
        "-p",
        "no:cacheprovider",
        "-m",
        "not replaces_code",
        *arguments,
        *rooms,
    ]
    return subprocess.run(command, cwd=copy, env=environment, check=False).returncode  # noqa: S603  our own words


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    build_copy(folder)
    sys.exit(run_tests(folder, sys.argv[2:]))
