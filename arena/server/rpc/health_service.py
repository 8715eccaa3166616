"""The standard health service (grpc.health.v1), which anyone may ask without a token, and its client."""

from collections.abc import Callable, Collection
from typing import Any

import grpc
from grpc_health.v1 import health_pb2

from arena.errors import ArenaError, EnvironmentFaultError
from arena.server.rpc.caller import CallerReader
from arena.server.rpc.client_channel import explain_failure, open_channel
from arena.server.rpc.method_builder import decode_request
from arena.server.rpc.refusals import QuietIfCallerIsGone, status_from_error
from cheatarena.tls_settings import TlsSettings

SERVICE = "grpc.health.v1.Health"


class HealthService:
    """Answers `Check` only. `Watch` is refused, because streams of callers without a token would waste memory."""

    def __init__(self, services: Collection[str], callers: CallerReader, is_serving: Callable[[], bool]) -> None:
        """A caller may ask about `services`. All share one status."""
        self._services = frozenset(services) | {""}
        self._callers = callers
        self._is_serving = is_serving

    def handler(self) -> grpc.GenericRpcHandler:
        methods: dict[str, Any] = {
            "Check": grpc.unary_unary_rpc_method_handler(self._check),
            "Watch": grpc.unary_stream_rpc_method_handler(self._watch),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _check(self, raw: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
        with QuietIfCallerIsGone():
            try:
                self._callers.read(context)
                request = decode_request(health_pb2.HealthCheckRequest, raw)
            except ArenaError as error:
                await context.abort_with_status(status_from_error(error))
            if request.service not in self._services:
                await context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
        states = health_pb2.HealthCheckResponse
        status = states.SERVING if self._is_serving() else states.NOT_SERVING
        return states(status=status).SerializeToString()

    async def _watch(self, _: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
        with QuietIfCallerIsGone():
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "ask with Check")


async def is_serving(address: str, tls: TlsSettings, timeout_s: float) -> bool:
    """Return whether a server accepts new matches. It accepts none while it starts, stops or cannot store results.

    Raises EnvironmentFaultError if there is no answer within the timeout, and RequestError for a bad file in `tls`.
    """
    async with open_channel(tls, address) as channel:
        check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Check")
        try:
            raw = await check(health_pb2.HealthCheckRequest().SerializeToString(), timeout=timeout_s)
        except grpc.aio.AioRpcError as error:
            raise EnvironmentFaultError(str(await explain_failure(error, tls, address))) from error
    status: int = health_pb2.HealthCheckResponse.FromString(raw).status
    return status == health_pb2.HealthCheckResponse.SERVING
