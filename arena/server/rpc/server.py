"""Runs the gRPC server of a node, with safe options."""

import asyncio
import errno
import os
import socket
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import grpc

from arena.errors import CapacityError, OptionError, PortBusyError
from arena.server.guards.calls import ArrivingRequests
from arena.server.guards.memory import return_read_memory
from arena.server.node.call_totals import CallTotals
from arena.server.node.limits import Limits
from arena.server.rpc.certificate import ServerCertificate
from arena.server.rpc.counted_calls import CountedCalls
from arena.server.rpc.listeners import SOCKET_MODE, Listener, UnixListener, join_address
from arena.server.rpc.refusals import QuietIfCallerIsGone, retrieve_exception

CONCURRENT_CALLS = 128
"""The most calls that a connection may have at the same time; HTTP/2 recommends at least 100 (RFC 9113, section 6.5.2).
gRPC refuses further calls instead of letting them wait. `AdmissionControl` sets a lower limit for streams."""

NO_COMPRESSION = 1
"""The set of encodings that contains only `identity`. A compressed message is refused before it is inflated. Inflating
a message that turns out to be too long takes tens of milliseconds, and all other streams wait meanwhile."""
HANDSHAKE_MS = 1_500
"""How long a new connection may stay silent, or take for its TLS handshake. This suffices for two round trips by
satellite, with some delay."""
READ_BYTES = 64 * 1024
"""The most bytes of a connection that gRPC reads, and turns into headers, at a time."""
PING_STRIKES = 100
"""A connection ends after this many pings that come too fast while the server sends nothing. A client that measures its
bandwidth pings only after it has received something, so only a flood reaches this number."""


def server_options(limits: Limits) -> list[tuple[str, int]]:
    # The server needs all three keepalive times to notice a frozen peer within a minute.
    silent_ms = int(limits.silent_s * 1000)
    return [
        ("grpc.so_reuseport", 0),  # a second server on the port must fail instead of sharing it
        ("grpc.max_receive_message_length", limits.frame_bytes),
        ("grpc.max_send_message_length", limits.frame_bytes),
        ("grpc.compression_enabled_algorithms_bitset", NO_COMPRESSION),
        ("grpc.max_metadata_size", limits.metadata_bytes),
        ("grpc.absolute_max_metadata_size", limits.metadata_bytes),
        ("grpc.max_concurrent_streams", max(CONCURRENT_CALLS, limits.streams_a_connection)),
        ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
        ("grpc.http2.settings_timeout", silent_ms),  # the limits bind only a client that has acknowledged them
        ("grpc.experimental.tcp_max_read_chunk_size", READ_BYTES),
        ("grpc.keepalive_time_ms", silent_ms),
        ("grpc.keepalive_timeout_ms", silent_ms),
        ("grpc.http2.ping_timeout_ms", silent_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", PING_STRIKES),
    ]


_SOCKET_FOLDER_MODE = 0o711
"""Everybody may reach a socket by its path, and only the server may list or change its folder."""


class SingleRequests:
    """Reads the request of each call that has one, within the limits of `ArrivingRequests`.

    The handlers are built as those of streams, which read by themselves; on the wire, both are the same.
    """

    def __init__(self, arriving: ArrivingRequests) -> None:
        self._arriving = arriving

    def wrap(self, handler: grpc.GenericRpcHandler) -> grpc.GenericRpcHandler:
        """Methods with streams of requests stay as they are."""
        return _Wrapped(self, handler)

    def wrap_method(self, method: "grpc.RpcMethodHandler[Any, Any]") -> "grpc.RpcMethodHandler[Any, Any]":
        if method.request_streaming:
            return method
        if method.response_streaming:
            return grpc.stream_stream_rpc_method_handler(self._read_first(method.unary_stream))
        return grpc.stream_unary_rpc_method_handler(self._read_first(method.unary_unary))

    def _read_first(self, behavior: Any) -> Any:
        async def call(_: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
            with QuietIfCallerIsGone():
                raw = await self._read(context)
            return await behavior(raw, context)

        return call

    async def _read(self, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
        """End the call if its request does not arrive."""
        reading = asyncio.ensure_future(context.read())
        reading.add_done_callback(retrieve_exception)
        try:
            await self._arriving.wait(reading)
        except CapacityError as error:
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
        except TimeoutError as error:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, str(error))
        raw: object = reading.result()
        if not isinstance(raw, bytes):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call has no request")
        return raw


class _Wrapped(grpc.GenericRpcHandler):
    """The handler of a service whose methods read single requests within limits."""

    def __init__(self, requests: SingleRequests, handler: grpc.GenericRpcHandler) -> None:
        self._requests = requests
        self._handler = handler

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Return the handler of a method; None for a method of another service."""
        method = self._handler.service(details)
        return None if method is None else self._requests.wrap_method(method)


class Service(Protocol):
    def handler(self) -> grpc.GenericRpcHandler: ...


class Server:
    def __init__(self, limits: Limits, services: Sequence[Service], totals: CallTotals) -> None:
        return_read_memory()
        self._server = grpc.aio.server(options=server_options(limits))
        requests = SingleRequests(ArrivingRequests())
        self._server.add_generic_rpc_handlers(
            tuple(CountedCalls(totals, requests.wrap(service.handler())) for service in services)
        )

    async def start(
        self, listeners: Sequence[Listener | UnixListener], certificate: ServerCertificate | None
    ) -> list[str]:
        """Return the address of each listener with its actual port.

        `certificate` is for the listeners that speak TLS. Raises PortBusyError, and OptionError for a socket that
        cannot be made.
        """
        addresses = [
            self._bind_unix(each) if isinstance(each, UnixListener) else self._bind(each, certificate)
            for each in listeners
        ]
        await self._server.start()
        for each in listeners:
            if isinstance(each, UnixListener):
                each.path.chmod(SOCKET_MODE)
        return addresses

    def _bind(self, listener: Listener, certificate: ServerCertificate | None) -> str:
        host, port = listener.host, listener.port
        taken = PortBusyError(f"port {port} of {host} is taken; name another with --port, or 0 for any")
        if port and is_port_taken(host, port):  # checked first, as gRPC would log an error of its own
            raise taken
        try:
            if listener.is_tls:
                assert certificate is not None
                bound = self._server.add_secure_port(listener.address, certificate.credentials())
            else:
                bound = self._server.add_insecure_port(listener.address)
        except RuntimeError as error:
            raise taken from error
        if not bound:
            raise taken
        return join_address(host, bound)

    def _bind_unix(self, listener: UnixListener) -> str:
        """Return the address. A file that a killed server left there is replaced."""
        path = listener.path
        taken = PortBusyError(f"the socket {path} is taken by another server")
        try:
            if not path.parent.exists():
                path.parent.mkdir(parents=True)
                path.parent.chmod(_SOCKET_FOLDER_MODE)  # whatever the umask is
            if _is_socket_taken(path) or not self._server.add_insecure_port(listener.address):
                raise taken
        except (OSError, RuntimeError) as error:
            raise OptionError("listen", listener.address, f"the socket cannot be made: {error}") from error
        return listener.address

    async def stop(self, grace_s: float) -> None:
        """Remaining calls end after the grace period."""
        await self._server.stop(grace_s)


def is_port_taken(host: str, port: int) -> bool:
    """Any other error of the address is left for gRPC to report."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":  # as gRPC does: closed connections do not occupy the port
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def _is_socket_taken(path: Path) -> bool:
    """Return whether a server listens on a Unix socket, or a file that is no socket has its path."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return True
        with socket.socket(socket.AF_UNIX) as probe, suppress(ConnectionRefusedError):
            probe.connect(str(path))
            return True
    return False
