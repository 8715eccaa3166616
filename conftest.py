"""What is collected, and at what cost."""

import gc
import os
import re
from collections.abc import Generator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Import a file only if it has the mark that is asked for, and search it for doctests only if it has a prompt."""
    collectors = yield
    if not has_asked_mark(file_path, parent.config):
        return []
    if b">>> " in file_path.read_bytes():
        return collectors
    return [each for each in collectors if type(each) is pytest.Module]


def has_asked_mark(path: Path, config: pytest.Config) -> bool:
    """Return whether a file may have tests with the mark of `-m MARK` or `-m "MARK and not OTHER"`.

    It has the mark itself, or from a fixture. With any other expression, each file may have tests.
    """
    asked = re.fullmatch(r"(\w+)( and not \w+)*", config.option.markexpr)
    if asked is None:
        return True
    files = (path, *(folder / "conftest.py" for folder in path.parents if folder.is_relative_to(config.rootpath)))
    return any(names_mark(file, asked[1]) for file in files)


@cache
def names_mark(file: Path, mark: str) -> bool:
    """Return whether a file is there and names a mark."""
    return file.exists() and f"mark.{mark}".encode() in file.read_bytes()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the garbage collector from what stays: every collected test, and every module that tests import."""
    gc.disable()
    try:
        import_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()


def import_share(config: pytest.Config) -> None:
    """Import the share of this worker, if all tests are collected: in a new checkout, each file is then compiled once.

    Every worker collects every file in the same order, and would rewrite the asserts of all at the same time.
    """
    name = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not name or config.args != config.getini("testpaths"):
        return
    workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    paths = [path for path in (config.rootpath / "tests").rglob("test_*.py") if has_asked_mark(path, config)]
    for path in sorted(paths)[int(name.removeprefix("gw")) :: workers]:
        with suppress(Exception, pytest.skip.Exception):  # collection tells it
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))
