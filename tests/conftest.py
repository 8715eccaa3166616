"""Settings of all tests: a slow machine fails no test, and programs that a test leaves behind are killed."""

import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

from tests.support.commands import end_sessions

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of whole programs: these wait for long, and at the end no others would run meanwhile."""
    items.sort(key=lambda item: "e2e" not in item.path.parts)


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
