"""Asks a server for its health (grpc.health.v1)."""

import grpc
from grpc_health.v1 import health_pb2

from arena.errors import EnvironmentFaultError
from arena.rpc.client_tls import ClientTls
from arena.rpc.health_service import SERVICE


async def is_serving(address: str, tls: ClientTls, timeout_s: float) -> bool:
    """Return whether a server accepts new matches. It accepts none while it starts, stops or cannot store results.

    Raises EnvironmentFaultError if there is no answer within the timeout, and OptionError for a bad file in `tls`.
    """
    async with tls.open_channel(address) as channel:
        check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Check")
        try:
            raw = await check(health_pb2.HealthCheckRequest().SerializeToString(), timeout=timeout_s)
        except grpc.aio.AioRpcError as error:
            text = error.details() or error.code().name
            raise EnvironmentFaultError(f"the server at {address} cannot be asked: {text}") from error
    status: int = health_pb2.HealthCheckResponse.FromString(raw).status
    return status == health_pb2.HealthCheckResponse.SERVING
