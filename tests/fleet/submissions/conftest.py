"""The store of a server whose owner Ann submits bots."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arena.server.store.open_store import Store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with await open_store(tmp_path) as opened:
        await opened.owners.add("ann", "", 5)
        yield opened
