"""Runs the gRPC server of a node: safe options, the node's services and health checks."""

import errno
import os
import socket
from collections.abc import Sequence
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena.errors import OptionError, PortBusyError
from arena.node.addresses import is_loopback
from arena.node.limits import Limits


def server_options(limits: Limits) -> list[tuple[str, int]]:
    """Return the channel arguments."""
    # Only with all three keepalive times does the server notice a frozen peer within a minute.
    silent_ms = int(limits.silent_s * 1000)
    return [
        ("grpc.so_reuseport", 0),  # a second server on the port must fail instead of sharing it
        ("grpc.max_receive_message_length", limits.frame_bytes),
        ("grpc.max_send_message_length", limits.frame_bytes),
        ("grpc.max_metadata_size", limits.metadata_bytes),
        ("grpc.absolute_max_metadata_size", limits.metadata_bytes),
        ("grpc.max_concurrent_streams", limits.streams_a_connection),
        ("grpc.server_handshake_timeout_ms", 5_000),
        ("grpc.keepalive_time_ms", silent_ms),
        ("grpc.keepalive_timeout_ms", silent_ms),
        ("grpc.http2.ping_timeout_ms", silent_ms),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", 0),
    ]


class _PollOnlyHealth(health.aio.HealthServicer):
    """Answers health checks with `Check` only. `Watch` would let callers without a token keep streams open."""

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802, ARG002  the name is the contract's
        """Refuse the stream; clients then poll `Check`."""
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "ask with Check")


class Server:
    """Listens for a node's services."""

    def __init__(self, limits: Limits, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self._server = grpc.aio.server(options=server_options(limits))
        self._server.add_generic_rpc_handlers(tuple(handlers))
        self._health = _PollOnlyHealth()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)

    async def start(self, host: str, port: int) -> int:
        """Listen on a port and return its number; port 0 selects a free one. Plaintext is allowed on loopback only.

        Raises PortBusyError, and OptionError for a host that is not loopback.
        """
        if not is_loopback(host):
            raise OptionError("host", host, "plaintext listens on loopback only, such as 127.0.0.1")
        taken = PortBusyError(f"port {port} of {host} is taken; name another with --port, or 0 for any")
        if port and _is_port_taken(host, port):  # else gRPC would log an error of its own
            raise taken
        try:
            bound = self._server.add_insecure_port(f"{host}:{port}")
        except RuntimeError as error:
            raise taken from error
        if not bound:
            raise taken
        await self._server.start()
        await self.set_healthy(True)
        return bound

    async def set_healthy(self, is_healthy: bool) -> None:
        """Set the status that health checks report."""
        status = health_pb2.HealthCheckResponse.SERVING if is_healthy else health_pb2.HealthCheckResponse.NOT_SERVING
        await self._health.set("", status)

    async def stop(self, grace_s: float) -> None:
        """Accept no new calls, and end the remaining ones after the grace period."""
        await self._server.stop(grace_s)


def _is_port_taken(host: str, port: int) -> bool:
    """Return whether a port is taken. Any other error of the address is left for gRPC to report."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":  # as gRPC does: closed connections do not occupy the port
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False
