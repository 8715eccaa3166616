"""Implements the organizer's client of StatusService."""

from types import TracebackType
from typing import Final, Self

import grpc

from arena.server.node.server_status import ServerStatus
from arena.server.rpc.client_channel import explain_failure, open_channel
from arena.server.rpc.status_service import read_status
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization
from cheatarena.v1 import status_pb2, status_pb2_grpc

_CALL_TIMEOUT_S: Final = 10.0


class StatusClient:
    """Reads the figures of a server. Use it as an asynchronous context manager."""

    def __init__(self, address: str, token: str, tls: TlsSettings) -> None:
        """Prepare the connection. Raises RequestError for a bad file in `tls`."""
        self.address = address
        self._metadata = authorization(token)
        self._tls = tls
        self._channel = open_channel(tls, address)
        self._stub: status_pb2_grpc.StatusServiceAsyncStub = status_pb2_grpc.StatusServiceStub(self._channel)

    async def read(self) -> ServerStatus:
        """Return the figures of this moment.

        Raises DeniedError if the token does not permit it, and EnvironmentFaultError if the server cannot be reached.
        """
        request = status_pb2.GetStatusRequest()
        try:
            found = await self._stub.GetStatus(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            raise await explain_failure(error, self._tls, self.address) from error
        return read_status(found)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channel.close()
