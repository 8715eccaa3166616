"""The contract keeps what each release promised: `make breaking` refuses a change that could harm an older client.

The rules are buf's FILE rules, the strictest: besides bytes on the wire they keep names, and so the API of generated
code.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.guide import ROOT

CONTRACTS = sorted((ROOT / "tests" / "releases").glob("*/contract.binpb"))


def find_breaks(proto: Path, release: Path) -> list[str]:
    """Return what a contract breaks of a release's, as buf says it."""
    buf = Path(sys.executable).parent / "buf"
    words = [str(buf), "breaking", str(proto), "--against", str(release)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode in (0, 100), ended.stderr
    assert bool(ended.stdout) is (ended.returncode == 100)
    return ended.stdout.splitlines()


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """Return a copy of the contract with one text replaced."""

    def change(file: str, old: str, new: str) -> Path:
        shutil.copytree(ROOT / "proto", tmp_path / "proto")
        path = tmp_path / "proto" / "cheatarena" / "v1" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {old!r} no longer"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return tmp_path / "proto"

    return change


@pytest.mark.parametrize("release", CONTRACTS, ids=lambda path: path.parent.name)
def test_contract_breaks_nothing_of_a_release(release):
    assert find_breaks(ROOT / "proto", release) == []


def test_every_release_has_its_contract():
    releases = [path.parent.name for path in (ROOT / "tests" / "releases").glob("*/README.md")]

    assert releases
    assert [path.parent.name for path in CONTRACTS] == sorted(releases)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("decision.proto", "uint32 late_us = 5;", "uint32 late_us = 9;", 'field "5" with name "late_us"'),
        ("decision.proto", "uint32 late_us = 5;", "uint64 late_us = 5;", "changed type"),
        ("decision.proto", "uint32 late_us = 5;", "uint32 lateness_us = 5;", '"lateness_us"'),
        ("decision.proto", "DECISION_STATUS_LANDED = 3;", "reserved 3;", 'enum value "3"'),
        ("lobby.proto", "bool accept = 2;", "optional bool accept = 2;", "cardinality"),
        ("play.proto", "rpc Play(stream PlayRequest)", "rpc Play(PlayRequest)", "streaming"),
        ("play.proto", "    Ping ping = 5;\n", "", '"ping"'),
    ],
    ids=["number", "type", "name", "enum value", "presence", "streaming", "oneof member"],
)  # fmt: skip
def test_breaking_change_is_named(changed, file, old, new, said):
    breaks = find_breaks(changed(file, old, new), CONTRACTS[-1])

    assert any(said in line for line in breaks), breaks


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("decision.proto", "uint32 late_us = 5;", "uint32 late_us = 5;\n  uint32 late_count = 100;"),
        ("play.proto", "    Ping ping = 5;", "    Ping ping = 5;\n    Goodbye ending = 100;"),
        (
            "decision.proto",
            "DECISION_STATUS_LANDED = 3;",
            "DECISION_STATUS_LANDED = 3;\n  DECISION_STATUS_QUEUED = 100;",
        ),
    ],
    ids=["field", "notice", "enum value"],
)
def test_addition_breaks_nothing(changed, file, old, new):
    assert find_breaks(changed(file, old, new), CONTRACTS[-1]) == []
