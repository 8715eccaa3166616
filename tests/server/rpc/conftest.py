"""Each test gets its own server, in the test's own loop."""

from collections.abc import AsyncIterator

import pytest

from tests.support.server import LocalServer, open_server
from tests.support.stamping import stamping_loop


def pytest_asyncio_loop_factories():
    """Run every test of this folder in a loop that stamps arrivals."""
    return {"stamping": stamping_loop}


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[LocalServer]:
    """Return a running server."""
    async with open_server(tmp_path / "data") as opened:
        yield opened
