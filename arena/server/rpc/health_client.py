"""Asks a server for its health (grpc.health.v1)."""

import asyncio

import grpc
from grpc_health.v1 import health_pb2

from arena.errors import EnvironmentFaultError
from arena.server.rpc.client_channel import open_channel
from arena.server.rpc.health_service import SERVICE
from cheatarena.proxies import add_proxy
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.tls_settings import TlsSettings


async def is_serving(address: str, tls: TlsSettings, timeout_s: float) -> bool:
    """Return whether a server accepts new matches. It accepts none while it starts, stops or cannot store results.

    Raises EnvironmentFaultError if there is no answer within the timeout, and RequestError for a bad file in `tls`.
    """
    async with open_channel(tls, address) as channel:
        check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Check")
        try:
            raw = await check(health_pb2.HealthCheckRequest().SerializeToString(), timeout=timeout_s)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE and (
                why := await asyncio.to_thread(explain_refused_handshake, tls, address)
            ):
                raise EnvironmentFaultError(f"no secure connection to {address}: {why}") from error
            text = error.details() or error.code().name
            raise EnvironmentFaultError(
                add_proxy(f"the server at {address} cannot be asked: {text}", address)
            ) from error
    status: int = health_pb2.HealthCheckResponse.FromString(raw).status
    return status == health_pb2.HealthCheckResponse.SERVING
