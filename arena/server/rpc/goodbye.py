"""Says goodbye in the name of a program that has ended, so that nobody waits for it."""

from typing import Final

import grpc

from arena.server.rpc.client_channel import explain_failure, open_channel
from cheatarena.session import PROTOCOL_VERSION
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import play_pb2, play_pb2_grpc, session_pb2

_TIMEOUT_S: Final = 10.0
_NO_GAME: Final = "none"
"""The name of no game, so that the session is offered no seat."""


async def say_goodbye(address: str, token: str, instance: str, tls: TlsSettings) -> None:
    """Take over the session of a bot, and leave all its seats.

    A process that the bot forked may keep its connection open. A newer stream ends that too.

    Raises DeniedError for an invalid token, EnvironmentFaultError if the server cannot be reached.
    """
    games = [session_pb2.GameSupport(game=_NO_GAME)]
    hello = session_pb2.Hello(protocol_version=PROTOCOL_VERSION, instance=instance, games=games, capacity=1)
    async with open_channel(tls, address) as channel:
        stub: play_pb2_grpc.PlayServiceAsyncStub = play_pb2_grpc.PlayServiceStub(channel)
        call = stub.Play(metadata=authorization(token), timeout=_TIMEOUT_S)
        try:
            await call.write(play_pb2.PlayRequest(notices=[play_pb2.BotNotice(hello=hello)]))
            await call.read()  # the welcome: if the server refuses a Hello while more is written, grpc.aio drops why
            await call.write(play_pb2.PlayRequest(notices=[play_pb2.BotNotice(goodbye=session_pb2.Goodbye())]))
            await call.done_writing()
            while await call.read() is not grpc.aio.EOF:
                pass
        except grpc.aio.AioRpcError as error:
            raise await explain_failure(error, tls, address) from error
