"""Settings of all tests: a slow machine fails no test, and programs that a test leaves behind are killed."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support.commands import end_sessions

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of whole programs: these wait for long, and at the end no others would run meanwhile."""
    items.sort(key=lambda item: "e2e" not in item.path.parts)


@pytest.fixture(autouse=True)
def _no_program_left() -> Iterator[None]:
    yield
    end_sessions()
