"""A caller who does not read answers holds little of the server, and stops nobody else."""

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest
from h2.events import ResponseReceived
from h2.settings import SettingCodes, Settings

from arena.errors import CapacityError
from arena.server.guards import calls
from arena.server.guards.calls import MOST_ANSWERS, MOST_BYTES, MOST_BYTES_AT_ONCE, SLOW_S, UnreadAnswers
from tests.faults.http2 import RawConnection
from tests.support.server import LocalServer
from tests.support.wire_bot import bearer, new_channel

LIST_GAMES = "/cheatarena.v1.AuthorService/ListGames"


@pytest.mark.parametrize(("count", "size"), [(MOST_ANSWERS, 1), (2, MOST_BYTES // 2)])
def test_account_that_leaves_too_much_unread_is_refused_until_it_reads(count, size):
    """Answers that arrive at once do not count, however many there are."""
    now = [0.0]
    unread = UnreadAnswers(lambda: now[0])
    with ExitStack() as answers:
        for _ in range(count):
            answers.enter_context(unread.count("owner ann", size))
        now[0] += SLOW_S - 0.001
        unread.check("owner ann")
        now[0] += 0.001

        with pytest.raises(CapacityError, match="are unread"):
            unread.check("owner ann")
        unread.check("owner bob")
    unread.check("owner ann")


def test_answers_of_an_account_are_bounded_at_once_too():
    """A server could otherwise send hundreds of megabytes before the first of them is slow."""
    unread = UnreadAnswers(lambda: 0.0)
    with ExitStack() as answers:
        answers.enter_context(unread.count("owner ann", MOST_BYTES_AT_ONCE))
        unread.check("owner ann")

        with pytest.raises(CapacityError, match="are unread"):
            answers.enter_context(unread.count("owner ann", 1))
        answers.enter_context(unread.count("owner bob", 1))
    with unread.count("owner ann", 1):
        pass


async def test_caller_without_a_window_is_refused_soon(site: LocalServer, monkeypatch):
    """A refusal needs no window, so it ends its call."""
    monkeypatch.setattr(calls, "SLOW_S", 0)
    monkeypatch.setattr(calls, "MOST_ANSWERS", 2)
    token = await site.create_token("ann")
    async with RawConnection(site.address) as connection:
        closed = {SettingCodes.INITIAL_WINDOW_SIZE: 0, SettingCodes.ENABLE_PUSH: 0}
        connection.http.local_settings = Settings(client=True, initial_values=closed)
        await connection.greet()

        async with asyncio.timeout(20):
            while not await call_and_wait(connection, token):
                pass

        async with new_channel(site.address) as channel:
            other: Any = channel.unary_unary(LIST_GAMES)
            assert await other(b"", metadata=bearer(await site.create_token("bob"))) == b""


async def call_and_wait(connection: RawConnection, token: str) -> bool:
    """Call, and return whether the server refuses this call for what was left unread."""
    connection.send(connection.call(LIST_GAMES, token), b"", is_last=True)
    await connection.flush()
    for event in await connection.receive():
        if isinstance(event, ResponseReceived) and b"are unread" in dict(event.headers).get(b"grpc-message", b""):
            return True
    return False
