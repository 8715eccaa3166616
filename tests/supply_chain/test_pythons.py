"""The script that tests the SDK on other versions of Python says which it could not test."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(os.name != "posix", reason="the script is for bash")
def test_version_that_nobody_has_is_named_and_fails_nothing():
    done = subprocess.run(
        [ROOT / ".ci" / "pythons", "3.99"], capture_output=True, text=True, timeout=110, check=False
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(r"pythons: 3\.\d+ by make test; none here; not tested: 3\.99 \(.+\)", last)


@pytest.mark.parametrize("project", ["pyproject.toml", "sdk/pyproject.toml"])
def test_promised_versions_are_listed_one_by_one(project):
    """The script reads them from there."""
    promised = tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]["classifiers"]

    found = [each.rpartition(" ")[2] for each in promised if re.search(r":: 3\.\d+$", each)]
    assert found == ["3.11", "3.12", "3.13", "3.14"]
