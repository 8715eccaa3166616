"""The image can be built: what its build is given is enough for wheels that hold all of the arena.

Docker itself is not needed: its ignore file is read here, and the wheels are built of the files that it lets in.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.image_context import ignore_pattern, is_sent, read_ignore_rules

ROOT = Path(__file__).resolve().parents[2]
IGNORE_FILE = ROOT / "docker" / "Dockerfile.dockerignore"
PACKAGES = {".": ("arena", "sample_bots"), "sdk": ("cheatarena",)}
"""Folder that is installed -> the packages that its wheel has to hold."""
LANGUAGES = {path.parent.name for path in (ROOT / "sample_bots").glob("*/bot.toml")}
"""Folders of sample bots in other languages, which are built from a checkout."""
LEFT_OUT = {"__pycache__", "node_modules", "languages.toml", *LANGUAGES}


def repository_files() -> Iterator[str]:
    """Give all files but those of hidden folders, which hold a hundred times as many."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name).relative_to(ROOT).as_posix() for name in names)


def package_files(folder: Path) -> set[str]:
    """Give the files of a package, by their paths in a wheel."""
    found = (path.relative_to(folder.parent) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if LEFT_OUT.isdisjoint(path.parts)}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the image's build sees."""
    seen, rules = tmp_path_factory.mktemp("image"), read_ignore_rules(IGNORE_FILE)
    for name in repository_files():
        if is_sent(name, rules):
            (seen / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, seen / name)
    return seen


@pytest.mark.parametrize("project", PACKAGES)
def test_wheel_built_from_image_context_contains_every_file(context, tmp_path, project):
    """It includes the stand-alone verifiers, migrations, templates and sample bots."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(words, cwd=context / project, capture_output=True, text=True, timeout=100, check=False)

    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for package in PACKAGES[project]:
        expected = package_files(ROOT / project / package)
        assert expected
        assert expected - held == set()
    if project == ".":
        contract = {f"arena/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "proto").rglob("*.proto")}
        assert contract
        assert contract - held == set(), "builds of submitted bots generate code from it"


def test_image_context_contains_what_its_steps_need_and_nothing_private(context):
    """It has no history, no environment, no data folder and no tests."""
    assert {path.name for path in context.iterdir()} == {
        "requirements.lock", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "arena", "compiled", "proto",
        "sample_bots", "sdk", "docker",
    }  # fmt: skip
    assert {path.suffix for path in (context / "docker").iterdir()} == {".sh"}
    assert not any(
        is_sent(name, read_ignore_rules(IGNORE_FILE))
        for name in (".git/config", ".venv/pyvenv.cfg", "arena-data/arena.db")
    )
    assert [path for path in context.rglob("*") if path.name in LEFT_OUT] == []


def installing_step(folder: Path) -> str:
    """Return the step of the Dockerfile that installs the arena, in a folder instead of /opt/arena."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8"))
    [step] = [line.removeprefix("RUN ") for line in text.splitlines() if line.startswith("RUN install()")]
    return step.replace("/opt/arena", str(folder))


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="the step is for sh")
@pytest.mark.parametrize(
    ("uv", "code", "said"),
    [
        ('echo "uv $HATCH_BUILD_HOOK_ENABLE_CUSTOM"', 0, ["uv 1", "arena --version"]),
        (
            '[ -z "$HATCH_BUILD_HOOK_ENABLE_CUSTOM" ] && echo "uv plain"',
            0,
            ["the compiled build failed: this image has the plain one", "uv plain", "arena --version"],
        ),
        ("exit 2", 2, ["the compiled build failed: this image has the plain one"]),
    ],
    ids=["compiled", "plain", "neither"],
)
def test_image_has_the_compiled_build_or_else_says_that_it_has_the_plain_one(tmp_path, uv, code, said):
    write_program(tmp_path / "programs" / "uv", uv)
    write_program(tmp_path / "bin" / "arena", 'echo "arena $*"')

    path = f"{tmp_path / 'programs'}:{os.environ['PATH']}"
    words = ["sh", "-c", installing_step(tmp_path)]
    ran = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout.splitlines()) == (code, said)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1_000)
@pytest.mark.parametrize("project", PACKAGES)
def test_wheel_can_be_compiled_from_image_context(context, tmp_path, project):
    """At the lowest level of optimisation, which takes a third of the time."""
    environment = os.environ | {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": "1", "COMPILE_LEVEL": "0"}
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(
        words, cwd=context / project, env=environment, capture_output=True, text=True, timeout=900, check=False
    )

    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    held = zipfile.ZipFile(wheel).namelist()
    assert f"{PACKAGES[project][0]}/compiled.json" in held
    assert any(name.endswith((".so", ".pyd")) for name in held)


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("**", "arena/fleet/assembly/server.py", True),
        ("arena", "arena/fleet/assembly/server.py", True),
        ("arena", "arena-data/arena.db", False),
        ("**/__pycache__", "arena/cli/__pycache__/main.pyc", True),
        ("**/__pycache__", "__pycache__/x.pyc", True),
        ("*.md", "docs/spec.md", False),
    ],
)
def test_ignore_rules_match_as_docker_documents(rule, path, matches):
    assert bool(ignore_pattern(rule).match(path)) is matches
