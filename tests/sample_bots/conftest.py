"""Every test of this folder runs in a loop that stamps arrivals, so that it may have a server in its own process."""

import pytest

from tests.sample_bots.other_languages import Language, list_languages
from tests.support.stamping import stamping_loop


def pytest_asyncio_loop_factories():
    """Return the loop of `arena serve`."""
    return {"stamping": stamping_loop}


@pytest.fixture(scope="module", params=list_languages(), ids=lambda language: language.name)
def language(request: pytest.FixtureRequest) -> Language:
    """A language whose bot is built. `make bots` builds all whose programs are installed, and then runs these tests."""
    found: Language = request.param
    if found.missing:
        pytest.skip(f"{' and '.join(found.missing)} is not installed")
    if not found.is_built:
        pytest.skip("the bot is not built; `make bots` builds it")
    return found
