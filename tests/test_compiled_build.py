"""Compiled files run only beside the sources that they were made of."""

import hashlib
import importlib.machinery
import json
import sys
from pathlib import Path

import pytest

from arena.compiled_build import check_compiled_build, check_compiled_builds, read_compiled_build
from arena.errors import EnvironmentFaultError


def plant_package(folder: Path) -> Path:
    """Write a package with one compiled source, and return its folder."""
    (folder / "rules").mkdir(parents=True)
    source = folder / "rules" / "cards.py"
    source.write_text("CARDS = 52\n", encoding="utf-8")
    source.with_suffix(importlib.machinery.EXTENSION_SUFFIXES[0]).touch()
    (folder.parent / f"{folder.name}__mypyc{importlib.machinery.EXTENSION_SUFFIXES[0]}").touch()
    hashes = {f"{folder.name}/rules/cards.py": hashlib.sha256(source.read_bytes()).hexdigest()}
    manifest = {"compiler": "mypyc 1", "sources": hashes}
    (folder / "compiled.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    """Return the folder of an arena with one compiled source."""
    return plant_package(tmp_path / "arena")


def test_unchanged_sources_run_compiled(arena: Path):
    check_compiled_build(arena)

    build = read_compiled_build(arena)
    assert build is not None
    assert build.compiler == "mypyc 1"


@pytest.mark.parametrize("change", ["edited", "gone"])
def test_changed_source_is_refused_in_one_sentence(arena: Path, change: str):
    source = arena / "rules" / "cards.py"
    source.write_text("CARDS = 51\n", encoding="utf-8") if change == "edited" else source.unlink()

    with pytest.raises(
        EnvironmentFaultError, match=r"arena/rules/cards\.py has changed.* delete all files \*\."
    ) as raised:
        check_compiled_build(arena)
    assert "\n" not in str(raised.value)


def test_compiled_files_of_which_some_are_missing_are_refused(arena: Path):
    """Compiled code expects the classes of other compiled files, and would fail or crash with those of the sources."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    shared = arena.parent / f"arena__mypyc{suffix}"
    shared.unlink()

    with pytest.raises(EnvironmentFaultError, match=r"arena__mypyc\S+ is missing.*delete all files \*\."):
        check_compiled_build(arena)


def test_sources_run_if_the_compiled_files_are_deleted(arena: Path):
    (arena / "rules" / "cards.py").write_text("CARDS = 51\n", encoding="utf-8")
    for library in (arena / "rules").glob("*.so" if sys.platform != "win32" else "*.pyd"):
        library.unlink()

    check_compiled_build(arena)
    assert read_compiled_build(arena) is None


def test_changed_source_of_the_sdk_is_refused_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The arena finds the SDK that its bots in this process use, and imports nothing for it."""
    sdk = plant_package(tmp_path / "cheatarena")
    (sdk / "__init__.py").write_text("raise AssertionError\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cheatarena", raising=False)
    check_compiled_builds()
    (sdk / "rules" / "cards.py").write_text("CARDS = 51\n", encoding="utf-8")

    with pytest.raises(EnvironmentFaultError, match=r"cheatarena/rules/cards\.py has changed"):
        check_compiled_builds()
