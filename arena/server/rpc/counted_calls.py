"""Notes of each call of a service with what status it ended, and how long it took."""

import asyncio
import time
from typing import Any, Final

import grpc

from arena.server.node.call_totals import CallTotals

_STATUSES: Final[dict[object, str]] = {None: "OK"} | {
    code: status.name for status in grpc.StatusCode for code in (status, status.value[0])
}
"""By what gRPC has for a call's status: nothing yet, its number, or a value of the enumeration."""


class CountedCalls(grpc.GenericRpcHandler):
    """The handler of a service whose calls are noted. All its methods read streams of requests."""

    def __init__(self, totals: CallTotals, handler: grpc.GenericRpcHandler) -> None:
        self._totals = totals
        self._handler = handler

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Return the handler of a method; None for a method of another service."""
        method = self._handler.service(details)
        if method is None:
            return None
        name = details.method.rpartition(".")[2]
        if method.response_streaming:
            return grpc.stream_stream_rpc_method_handler(self._note(name, method.stream_stream))
        return grpc.stream_unary_rpc_method_handler(self._note(name, method.stream_unary))

    def _note(self, name: str, behavior: Any) -> Any:
        async def call(sent: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
            began, status = time.monotonic(), "UNKNOWN"
            try:
                answer = await behavior(sent, context)
                status = _status_of(context)
            except grpc.aio.AbortError:
                status = _status_of(context)
                raise
            except asyncio.CancelledError:
                status = "CANCELLED"
                raise
            else:
                return answer
            finally:
                self._totals.note(name, status, time.monotonic() - began)

        return call


def _status_of(context: "grpc.aio.ServicerContext[Any, Any]") -> str:
    return "CANCELLED" if context.cancelled() else _STATUSES.get(context.code(), "UNKNOWN")
