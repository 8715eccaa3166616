"""Each test gets its own server, as in `tests/server/rpc`, but it credits no stalls.

The credit for a stall moves deadlines, which takes messages that the recorded session does not have.
"""

import pytest

from arena.server.node import time_credits
from tests.server.rpc.conftest import pytest_asyncio_loop_factories, site  # noqa: F401  used by pytest


@pytest.fixture(autouse=True)
def no_stall_is_credited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_credits, "STALL_THRESHOLD_US", 3_600_000_000)
