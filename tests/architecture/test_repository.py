"""Contents of the repository: no hosts in lock files, no private paths, no undocumented package."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

LOCK_NAMES = {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml"}

ADDRESS = re.compile(
    r"://|--(?:index-url|extra-index-url|find-links|trusted-host)|\b(?:[a-z0-9-]+\.)+(?:com|dev|io|net|org|local)\b",
    re.IGNORECASE,
)
"""A host, in full or by name, or an option that names one."""

FUNDING = re.compile(r'^\s*"(?:url|funding)": "https://[^"]*",?$')
"""The one address that npm copies into its lock file: where to thank an author."""

PRIVATE = re.compile("|".join(["/wo" + "rk/", "/fa" + "rm/"]))
"""Folders of a machine on which this was written. In pieces, so that this file does not hold them."""


def files() -> list[Path]:
    """List what is in the repository or could be added to it; without git, all that no hidden folder holds."""
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(git, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
        found = [ROOT / name for name in listed if name]
    except (FileNotFoundError, subprocess.CalledProcessError):
        walked = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        found = [ROOT / p for p in walked if not any(x.startswith(".") or x == "node_modules" for x in p.parts[:-1])]
    return sorted(path for path in found if path.is_file())


def addresses(text: str) -> list[str]:
    """List the lines of a lock file that name a host."""
    return [line for line in text.splitlines() if ADDRESS.search(line) and not FUNDING.match(line)]


def test_lock_files_name_no_host():
    """The installing user chooses the registry."""
    locks = [path for path in files() if path.name in LOCK_NAMES or (path.suffix == ".lock" and path.name != "uv.lock")]

    assert ROOT / "requirements.lock" in locks
    assert {str(path): found for path in locks if (found := addresses(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    "line",
    [
        "--index-url mirror",
        "grpcio @ https://example.com/grpcio.whl",
        '      "resolved": "http://npm.example.local/a.tgz",',
        "--trusted-host=mirror",
        "    # from mirror.example.net",
    ],
)
def test_planted_host_is_found(line):
    """The check detects each way to name one."""
    assert addresses(f"grpcio==1.0.0 \\\n    --hash=sha256:00\n{line}\n") == [line]


def test_no_file_names_a_private_path():
    """No file refers to a folder that only its author has."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if PRIVATE.search(line)
    ]

    assert found == []


def test_planted_private_path_is_found():
    """The check detects what it searches for."""
    assert PRIVATE.search("see /wo" + "rk/notes.md")
    assert not PRIVATE.search("see docs/work.md")


def test_every_package_has_a_docstring():
    """A reader who opens a package first finds its place in the flow."""
    folders = ("arena", "sample_bots", "sdk/cheatarena")
    packages = [path for folder in folders for path in (ROOT / folder).rglob("__init__.py")]
    packages = [path for path in packages if "node_modules" not in path.parts]

    assert {path.parent.name for path in packages} >= {"arena", "sample_bots", "cheatarena"}
    silent = [path for path in packages if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent == []


def test_marks_are_written_in_the_files_of_tests_and_their_fixtures():
    """`make test-slow` and `make test-long` collect no file without them, but for what a fixture marks."""
    written = [
        path for path in files() if path.suffix == ".py" and re.search(r"\bmark\.(slow|long)\b", path.read_text())
    ]

    assert [path for path in written if not re.match(r"test_|conftest\.py$", path.name)] == []
