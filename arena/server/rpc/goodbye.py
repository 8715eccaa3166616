"""Says goodbye in the name of a program that has ended, so that nobody waits for it."""

from typing import Final

import grpc

from arena.server.rpc.client_channel import explain_failure, open_channel
from cheatarena.session import PROTOCOL_VERSION
from cheatarena.stream_ending import LOST_STATUS_DETAIL
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import play_pb2, play_pb2_grpc, session_pb2

_TIMEOUT_S: Final = 10.0
_TRIES: Final = 5
"""grpc.aio loses the status of a server that refuses a call while something is written to it."""
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
        for tries_left in reversed(range(_TRIES)):
            try:
                async for _ in stub.Play(iter(frames), metadata=authorization(token), timeout=_TIMEOUT_S):
                    pass
                return
            except grpc.aio.AioRpcError as error:
                if error.details() != LOST_STATUS_DETAIL or not tries_left:
                    raise await explain_failure(error, tls, address) from error
