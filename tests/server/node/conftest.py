"""Each test gets its own server, as in `tests/server/rpc`, and an opened store."""

from collections.abc import AsyncIterator

import pytest

from arena.server.store.open_store import Store, open_store
from tests.server.rpc.conftest import pytest_asyncio_loop_factories, site  # noqa: F401  used by pytest


@pytest.fixture
async def store(tmp_path) -> AsyncIterator[Store]:
    """Return a new store of the test's own."""
    async with await open_store(tmp_path / "data") as opened:
        yield opened
