"""Settings of all tests: a slow machine fails no test, and programs that a test leaves behind are killed."""

import logging
import os
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

from tests.support.commands import end_sessions
from tests.support.worker_shares import share_out

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every worker begin with tests of whole programs."""
    items[:] = share_out(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), lambda item: item.path)


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """End programs, and undo the logging that a command has set up in this process: later tests read the log."""
    yield
    end_sessions()
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.handlers[:] = [each for each in root.handlers if type(each) is not logging.StreamHandler]
    logging.disable(logging.NOTSET)
    structlog.reset_defaults()
