"""The tests here run a server in their own event loop."""

from tests.support.stamping import stamping_loop


def pytest_asyncio_loop_factories():
    """Return the loop of `arena serve`."""
    return {"stamping": stamping_loop}
