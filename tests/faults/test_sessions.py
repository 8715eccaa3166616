"""Sessions that come and go without manners leave nothing behind."""

import asyncio
from contextlib import suppress

import pytest
from h2.exceptions import ProtocolError

from tests.faults.http2 import RawConnection, hello_message
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import PLAY_METHOD

JOINS = 1000
AT_ONCE = 4
"""Fewer than the sessions of a token, since the server may notice a broken connection late."""


@pytest.mark.slow
async def test_a_thousand_joins_and_leaves_leave_nothing_behind(tmp_path, caplog):
    """Under a new name of instance each, with the connection broken off at any moment; then a bot joins as ever."""
    async with open_server(tmp_path) as site:
        token = await site.create_token("restless")
        for first in range(0, JOINS, AT_ONCE):
            await asyncio.gather(*(_join_and_leave(site, token, number) for number in range(first, first + AT_ONCE)))
        async with asyncio.timeout(60):
            while site.node.sessions or site.node.admission._streams:
                await asyncio.sleep(0.01)

        assert site.node.registry.sessions.by_key == {}
        await site.connect_bot("restless")
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


async def _join_and_leave(site: LocalServer, token: str, number: int) -> None:
    """Join and break off. If the machine is too busy to greet in time, the server closes the connection: try again."""
    while True:
        with suppress(ConnectionError, ProtocolError):
            await _join_once(site, token, number)
            return


async def _join_once(site: LocalServer, token: str, number: int) -> None:
    async with RawConnection(site.address) as connection:
        await connection.greet()
        stream = connection.call(PLAY_METHOD, token)
        connection.send(stream, hello_message(str(number)))
        await connection.flush()
        if number % 2:
            await connection.receive()


async def test_stream_that_is_half_closed_without_goodbye_is_a_lost_session(tmp_path):
    """Its seat waits for it, with the same prompt."""
    async with open_server(tmp_path) as site:
        _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
        _, prompt = await ann.wait_for_prompt("cheat_turn")

        await ann.call.done_writing()
        await ann.wait_for_end()
        await site.wait_until_gone("ann")
        again = await site.connect_bot("ann")

        assert (await again.wait_for_prompt("cheat_turn"))[1].id == prompt.id
