"""A phase leaves nothing behind when its trouble fails."""

import asyncio
from typing import Any

import pytest

from arena.author.trouble.phases import _wait_for_result
from arena.errors import BotStartError
from arena.match.referee.ports import MatchId


class EndlessMatch:
    """A server whose match never ends. Its wait for the result takes a moment to stop."""

    has_stopped = False

    async def wait_for_result(self, _: MatchId) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.has_stopped = True


async def test_error_of_the_trouble_is_raised_after_the_wait_for_the_result_has_stopped():
    server: Any = EndlessMatch()
    causing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    causing.set_exception(BotStartError("it did not start again"))

    with pytest.raises(BotStartError, match="it did not start again"):
        await _wait_for_result(server, MatchId("ONE"), causing)

    assert server.has_stopped
