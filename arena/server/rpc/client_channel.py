"""Connects the arena's own clients, which dial as bots do, and explains why a call has failed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Final, Self, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from arena.errors import (
    ArenaError,
    CapacityError,
    DeniedError,
    EnvironmentFaultError,
    NotConnectedError,
    RequestError,
    StoreAwayError,
    UnknownNameError,
)
from arena.server.store.data_folder import address_of_holder
from cheatarena.connection import dial
from cheatarena.credentials import find_authority
from cheatarena.dialling import describe_failure
from cheatarena.errors import SettingsError
from cheatarena.proxies import add_proxy
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import authorization

Response = TypeVar("Response")

PUBLIC_TLS = TlsSettings()
"""TLS with the public authorities, and plaintext to this machine."""
CLIENT_OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.max_receive_message_length", 64 << 20),
)
"""Options of the channels of clients that stay connected."""
CALL_TIMEOUT_S: Final = 20.0
"""Seconds that a call with one response may take."""


class ServiceClient:
    """Use it as an asynchronous context manager."""

    stub_kind: ClassVar[type[Any]]
    """The generated class that makes the calls."""
    options: ClassVar[Sequence[tuple[str, int | str]]] = CLIENT_OPTIONS

    def __init__(self, address: str, token: str, tls: TlsSettings = PUBLIC_TLS) -> None:
        """Raises RequestError for a bad file in `tls`."""
        self.address = address
        self._metadata = authorization(token)
        self._tls = tls
        self._channel = open_channel(tls, address, self.options)
        self._stub = self.stub_kind(self._channel)

    async def close(self) -> None:
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _call(
        self, method: Callable[..., Awaitable[Response]], request: object, timeout_s: float | None = CALL_TIMEOUT_S
    ) -> Response:
        """There is no timeout if `timeout_s` is None."""
        return await self._answer(method(request, metadata=self._metadata, timeout=timeout_s))

    async def _answer(self, call: Awaitable[Response]) -> Response:
        """Raise a gRPC error as an error of the arena."""
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise await explain_failure(error, self._tls, self.address) from error


def open_channel(tls: TlsSettings, address: str, options: Sequence[tuple[str, int | str]] = ()) -> grpc.aio.Channel:
    """`address` is HOST:PORT. Raises RequestError if `tls` contradicts itself or a file cannot be read."""
    try:
        return dial(tls, address, options)
    except SettingsError as error:
        raise RequestError(str(error)) from error


def find_own_server(folder: Path) -> tuple[str, TlsSettings]:
    """Return where the server that uses a data folder of this machine is dialled, and how that is secured.

    The address is empty if no server uses the folder. Raises SettingsError if the credentials file cannot be used.
    """
    address, speaks_tls = address_of_holder(folder)
    if not speaks_tls:
        return address, TlsSettings()
    return address, replace(TlsSettings.from_environment(), ca=find_authority(address))


async def explain_failure(error: grpc.aio.AioRpcError, tls: TlsSettings, address: str) -> ArenaError:
    """If no secure connection can be made, the error's text says why."""
    if error.code() is grpc.StatusCode.UNAVAILABLE and _find_error_info(error) is None:
        why = await asyncio.to_thread(explain_refused_handshake, tls, address)
        if why:
            return EnvironmentFaultError(f"no secure connection to {address}: {why}")
    return error_from_rpc(error, address)


def error_from_rpc(error: grpc.aio.AioRpcError, address: str) -> ArenaError:
    text = error.details() or error.code().name
    info = _find_error_info(error)
    match error.code():
        case grpc.StatusCode.UNAUTHENTICATED | grpc.StatusCode.PERMISSION_DENIED:
            return DeniedError(f"{address}: {text}")
        case grpc.StatusCode.NOT_FOUND if info is not None and "name" in info.metadata:
            kind, name = info.metadata["kind"], info.metadata["name"]
            if kind == NotConnectedError.kind:
                return NotConnectedError(name.split(","))
            return UnknownNameError(kind, name, text=text)
        case grpc.StatusCode.NOT_FOUND | grpc.StatusCode.INVALID_ARGUMENT | grpc.StatusCode.FAILED_PRECONDITION:
            return RequestError(text)
        case grpc.StatusCode.RESOURCE_EXHAUSTED:
            return CapacityError(text)
        case grpc.StatusCode.UNIMPLEMENTED if info is None:
            return RequestError(
                f"the server at {address} does not offer this: it is older, or its settings leave it out"
            )
        case grpc.StatusCode.UNAVAILABLE if info is None:
            return EnvironmentFaultError(add_proxy(f"no answer from {address}: {describe_failure(text)}", address))
        case grpc.StatusCode.UNAVAILABLE if info is not None and info.reason == "STORE_UNAVAILABLE":
            return StoreAwayError(f"the server at {address} did not answer: {text}")
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.DEADLINE_EXCEEDED | grpc.StatusCode.CANCELLED:
            return EnvironmentFaultError(f"the server at {address} did not answer: {text}")
        case code:
            return ArenaError(f"the server at {address} failed: {code.name}: {text}")


def _find_error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo | None:
    call: Any = error  # `from_call` is typed for calls, but this error has every method that it uses
    status: Any = rpc_status.from_call(call)
    for detail in status.details if status is not None else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info
    return None
