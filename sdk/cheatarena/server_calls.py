"""Calls the methods of a server's services. Every failure raises an error of this package."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import grpc
import grpc.aio

from cheatarena.connection import open_channel
from cheatarena.errors import CheatArenaError, RefusedError, ServerGoneError, TlsError
from cheatarena.settings import Settings
from cheatarena.stream_ending import StreamEnding
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.tokens import authorization

Response = TypeVar("Response")


class ServerCalls:
    """A connection to a server for calls that are not part of a match."""

    def __init__(self, settings: Settings, lacking: str) -> None:
        """Open the connection.

        `lacking` is a phrase such as "keeps no accounts". It is used in the error that is raised if the server does not
        know the called method. Raises SettingsError if a file of the settings cannot be read.
        """
        self._settings = settings
        self._lacking = lacking
        self._has_answered = False
        """Whether an arena has answered a call. Then what fails later fails on the way to it, and may pass."""
        self.channel = open_channel(settings, settings.address)
        self.metadata = authorization(settings.token)

    async def answer(self, call: Awaitable[Response]) -> Response:
        """Return the answer to a call.

        Raises TokenRefusedError if the server refuses the token, RefusedError if it refuses the request, TlsError if no
        secure connection can be made, and ServerGoneError if the server cannot be reached.
        """
        try:
            response = await call
        except grpc.aio.AioRpcError as error:
            raise await self._explain(error) from error
        self._has_answered = True
        return response

    async def close(self) -> None:
        """Close the connection."""
        await self.channel.close()

    async def _explain(self, error: grpc.aio.AioRpcError) -> CheatArenaError:
        """Translate a gRPC error into one of this package."""
        address = self._settings.address
        ending = StreamEnding(address)
        ending.read_error(error)
        if error.code() is grpc.StatusCode.UNIMPLEMENTED and not ending.find_foreign_server():
            return RefusedError(f"{address} {self._lacking}: it is an older server, or one node of several")
        if (fatal := ending.fatal_error(is_known=self._has_answered)) is not None:
            return fatal
        if self._has_answered and not ending.reason:
            return ServerGoneError(f"no answer from {address}: {ending.detail}")
        if ending.may_be_tls and (
            why := await asyncio.to_thread(explain_refused_handshake, self._settings.tls, address)
        ):
            return TlsError(f"{why} ({address})")
        if why := ending.find_foreign_server():
            return RefusedError(f"{address} is no arena: {why}")
        if ending.reason and error.code() is not grpc.StatusCode.UNAVAILABLE:
            return RefusedError(ending.detail, ending.reason)
        return ServerGoneError(f"no answer from {address}: {ending.detail}")
