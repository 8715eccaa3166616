"""Every test of this folder runs in a loop that stamps arrivals, so that it may have a server in its own process."""

from tests.support.stamping import stamping_loop


def pytest_asyncio_loop_factories():
    """Return the loop of `arena serve`."""
    return {"stamping": stamping_loop}
