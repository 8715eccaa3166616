"""A server for a test, in the test's own loop."""

from tests.support.stamping import stamping_loop


def pytest_asyncio_loop_factories():
    """Run every test of this folder in a loop that stamps arrivals."""
    return {"stamping": stamping_loop}
