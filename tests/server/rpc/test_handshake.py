"""How a stream begins, and why it may be refused."""

from dataclasses import replace
from typing import Any

import grpc
import pytest

from arena.server.node.limits import Limits
from arena.server.rpc.hello import read_hello
from cheatarena.v1 import decision_pb2, play_pb2, pool_pb2, session_pb2
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import WireBot

CHEAT = session_pb2.GameSupport(game="cheat")
ENTRY = pool_pb2.PoolEntry(pool="open")
GOOD: dict[str, Any] = {"protocol_version": 1, "instance": "one", "games": [CHEAT], "capacity": 1}


def hello(**changes) -> play_pb2.BotNotice:
    return play_pb2.BotNotice(hello=session_pb2.Hello(**(GOOD | changes)))


async def test_hello_is_answered_by_welcome(site: LocalServer):
    """The welcome names the bot by its token, the node, and the server's limits."""
    bot = await site.open_stream("ann")

    welcome = await bot.open_session()

    assert welcome.name == "ann"
    assert welcome.protocol_version == 1
    assert welcome.node == site.node.name
    assert welcome.limits.frame_bytes == 1 << 20
    assert welcome.limits.note_bytes == 200
    assert welcome.seat_count == 0


async def _no_token(site: LocalServer):
    return ""


async def _wrong_token(site: LocalServer):
    token = await site.create_token("ann")
    return token[:-8] + ("0000000" if token[-8] != "0" else "1111111") + token[-1]


async def _unknown_token(site: LocalServer):
    token = await site.create_token("ann")
    await site.store.tokens.revoke("ann")
    return token


async def _wrong_scope(site: LocalServer):
    return await site.create_token("ann", "organize", "spectate")


@pytest.mark.parametrize(
    ("make_token", "code", "reason"),
    [
        pytest.param(_no_token, "UNAUTHENTICATED", "UNAUTHENTICATED", id="none"),
        pytest.param(_wrong_token, "UNAUTHENTICATED", "UNAUTHENTICATED", id="wrong"),
        pytest.param(_unknown_token, "UNAUTHENTICATED", "UNAUTHENTICATED", id="revoked"),
        pytest.param(_wrong_scope, "PERMISSION_DENIED", "SCOPE_MISSING", id="scope"),
    ],
)
async def test_unacceptable_token_is_refused_with_reason(site: LocalServer, make_token, code, reason):
    """The refusal comes before any frame is read, with a code and a machine-readable reason."""
    async with WireBot(site.address, await make_token(site)) as bot:
        refusal = await bot.wait_for_end()

    assert refusal.code is grpc.StatusCode[code]
    assert refusal.reason == reason
    assert refusal.domain == "cheatarena"
    assert not site.node.sessions


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        pytest.param(play_pb2.PlayRequest(), "HELLO_EXPECTED", id="empty"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(), hello()]), "HELLO_EXPECTED", id="two"),
        pytest.param(
            play_pb2.PlayRequest(notices=[hello()], decisions=[decision_pb2.Decision(match=1)]),
            "HELLO_EXPECTED",
            id="with-decisions",
        ),
        pytest.param(
            play_pb2.PlayRequest(notices=[play_pb2.BotNotice(goodbye=session_pb2.Goodbye())]),
            "HELLO_EXPECTED",
            id="other-notice",
        ),
        pytest.param(play_pb2.PlayRequest(notices=[hello(instance="")]), "HELLO_EXPECTED", id="no-instance"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(instance="a\n")]), "HELLO_EXPECTED", id="control-characters"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(games=[])]), "HELLO_EXPECTED", id="no-game"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(capacity=0)]), "HELLO_EXPECTED", id="no-capacity"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(capacity=10_001)]), "HELLO_EXPECTED", id="huge-capacity"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(version="v" * 33)]), "HELLO_EXPECTED", id="long-version"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(version="\x1b[2J")]), "HELLO_EXPECTED", id="hostile-version"),
        pytest.param(play_pb2.PlayRequest(notices=[hello(pools=[ENTRY] * 33)]), "HELLO_EXPECTED", id="many-pools"),
        pytest.param(
            play_pb2.PlayRequest(notices=[hello(pools=[pool_pb2.PoolEntry()])]), "HELLO_EXPECTED", id="nameless-pool"
        ),
        pytest.param(
            play_pb2.PlayRequest(notices=[hello(pools=[pool_pb2.PoolEntry(pool="p", seats=1_001)])]),
            "HELLO_EXPECTED",
            id="many-seats",
        ),
        pytest.param(
            play_pb2.PlayRequest(notices=[hello(protocol_version=2)]), "UNSUPPORTED_VERSION", id="other-version"
        ),
    ],
)
async def test_first_frame_other_than_hello_is_refused(site: LocalServer, frame, reason):
    """The text says what was expected."""
    bot = await site.open_stream("ann")
    await bot.send_raw(frame.SerializeToString())

    refusal = await bot.wait_for_end()

    assert refusal.code is grpc.StatusCode.FAILED_PRECONDITION
    assert refusal.reason == reason
    assert refusal.text
    assert not site.node.sessions


async def test_garbage_first_frame_is_refused(site: LocalServer):
    bot = await site.open_stream("ann")
    await bot.send_raw(b"\xff\xff\xff")

    assert (await bot.wait_for_end()).reason == "HELLO_EXPECTED"


async def test_silent_stream_is_ended(tmp_path):
    """A stream costs memory, so one that sends no hello in time is closed."""
    async with open_server(tmp_path, replace(Limits(), hello_s=0.05)) as site:
        refusal = await (await site.open_stream("ann")).wait_for_end()

    assert refusal.code is grpc.StatusCode.FAILED_PRECONDITION
    assert refusal.reason == "HELLO_EXPECTED"


async def test_second_hello_counts_as_invalid_message(tmp_path):
    """It changes nothing about the session; repeating it ends the stream."""
    async with open_server(tmp_path, replace(Limits(), invalid_messages=3)) as site:
        bot = await site.connect_bot("ann")
        for _ in range(3):
            await bot.send(hello(instance="two"))

        refusal = await bot.wait_for_end()

    assert refusal.reason == "TOO_MANY_INVALID"


async def test_sessions_per_token_are_limited(tmp_path):
    """The stream above the limit is refused; the streams below it are unaffected."""
    async with open_server(tmp_path, replace(Limits(), sessions_a_token=2)) as site:
        first = await site.connect_bot("ann", instance="one")
        await site.connect_bot("ann", instance="two")
        third = await site.open_stream("ann")
        await third.send(hello(instance="three"))

        refusal = await third.wait_for_end()

        assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refusal.reason == "LIMIT_REACHED"
        assert len(site.node.sessions) == 2
        await first.send(play_pb2.BotNotice(pong=session_pb2.Pong()))


@pytest.mark.parametrize("version", ["1", " 1", "1 ", "\uff11", "\u20031"])
def test_versions_that_look_the_same_are_the_same(version):
    request = play_pb2.PlayRequest(notices=[hello(version=version)])

    assert read_hello(request.SerializeToString()).version == "1"
