"""The programs of the guide run as they stand there."""

import re
import subprocess
import sys

import pytest

import arena.envs
from tests.guides.reader import ROOT

GUIDE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
PROGRAMS = [block for block in BLOCKS if "arena.envs" in block]
"""`tests/guides` runs the others, on files that the guide's commands write."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_of_the_guide_runs(program):
    exec(compile(program, "learning.md", "exec"), {})


def test_guide_has_programs():
    assert len(PROGRAMS) == 4


@pytest.mark.parametrize("name", ["AecEnv", "VectorTables", "GymnasiumEnv"])
def test_missing_package_is_named_with_the_extra(name):
    """A Python without the extra gets one sentence."""
    program = (
        "import sys; sys.modules.update(dict.fromkeys(['gymnasium', 'pettingzoo', 'numpy']))\n"
        "from arena.errors import NotInstalledError\n"
        f"import arena.envs\ntry:\n    arena.envs.{name}\nexcept NotInstalledError as error:\n    print(error)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(
        r"learning environments need the package (gymnasium|pettingzoo|numpy): install cheatarena-server\[envs\]\n",
        told,
    )


def test_unknown_name_is_an_attribute_error():
    assert not hasattr(arena.envs, "Vector")
