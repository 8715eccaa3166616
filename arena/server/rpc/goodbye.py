"""Says goodbye in the name of a program that has ended, so that nobody waits for it."""

from typing import Any, Final

import grpc

from arena.server.rpc.client_channel import explain_failure, open_channel
from cheatarena.session import PROTOCOL_VERSION
from cheatarena.stream_ending import LOST_STATUS_DETAIL
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import play_pb2, play_pb2_grpc, session_pb2

_TIMEOUT_S: Final = 10.0
_PLAY: Final = "/cheatarena.v1.PlayService/Play"
_NO_GAME: Final = "none"
"""The name of no game, so that the session is offered no seat."""


async def say_goodbye(address: str, token: str, instance: str, tls: TlsSettings) -> None:
    """Take over the session of a bot, and leave all its seats.

    A process that the bot forked may keep its connection open. A newer stream ends that too.

    Raises DeniedError for an invalid token, EnvironmentFaultError if the server cannot be reached.
    """
    games = [session_pb2.GameSupport(game=_NO_GAME)]
    hello = session_pb2.Hello(protocol_version=PROTOCOL_VERSION, instance=instance, games=games, capacity=1)
    notices = [play_pb2.BotNotice(hello=hello), play_pb2.BotNotice(goodbye=session_pb2.Goodbye())]
    frames = [play_pb2.PlayRequest(notices=[notice]) for notice in notices]
    async with open_channel(tls, address) as channel:
        stub: play_pb2_grpc.PlayServiceAsyncStub = play_pb2_grpc.PlayServiceStub(channel)
        try:
            async for _ in stub.Play(iter(frames), metadata=authorization(token), timeout=_TIMEOUT_S):
                pass
        except grpc.aio.AioRpcError as error:
            is_lost = error.details() == LOST_STATUS_DETAIL
            refusal = await _find_refusal(channel, token, frames[0]) if is_lost else error
            raise await explain_failure(refusal or error, tls, address) from error


async def _find_refusal(
    channel: grpc.aio.Channel, token: str, hello: play_pb2.PlayRequest
) -> grpc.aio.AioRpcError | None:
    """Return the status with which the server refuses a Hello; None if it does not.

    grpc.aio loses a status that comes while something is written. A single message goes out with the call itself.
    """
    call: Any = channel.unary_stream(_PLAY, request_serializer=play_pb2.PlayRequest.SerializeToString)
    try:
        async for _ in call(hello, metadata=authorization(token), timeout=_TIMEOUT_S):
            pass
    except grpc.aio.AioRpcError as refusal:
        return refusal
    return None
