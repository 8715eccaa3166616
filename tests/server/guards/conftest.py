"""Each test gets its own server, as in `tests/server/rpc`."""

from tests.server.rpc.conftest import pytest_asyncio_loop_factories, site  # noqa: F401  used by pytest
