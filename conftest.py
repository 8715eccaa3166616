"""What is collected, and at what cost."""

import gc
import os
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Import and search a file for doctests only if it has a prompt."""
    collectors = yield
    if b">>> " in file_path.read_bytes():
        return collectors
    return [each for each in collectors if type(each) is pytest.Module]


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
    for path in sorted((config.rootpath / "tests").rglob("test_*.py"))[int(name.removeprefix("gw")) :: workers]:
        with suppress(Exception, pytest.skip.Exception):  # collection tells it
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))
