"""Reads the request of a call that has one, within a time and a number, so that no caller fills the server's memory.

gRPC reads such a request before it calls the handler, however long it takes, and keeps what has arrived. A caller who
begins requests and ends none would thus hold 1 MB of the server with each, without a token. So the handlers are built
as those of streams, which read by themselves; on the wire, both are the same.
"""

import asyncio
from typing import Any, Final

import grpc

from arena.server.rpc.call_end import QuietIfCallerIsGone

REQUEST_S: Final = 5.0
"""How many seconds a request may take to arrive."""
MOST_ARRIVING: Final = 64
"""How many requests may arrive at once. A further one ends the call that has waited longest.

A request usually arrives together with its call, so an honest caller does not wait."""


class SingleRequests:
    """Reads the single requests of a server's calls."""

    def __init__(self, most: int = MOST_ARRIVING, time_s: float = REQUEST_S) -> None:
        self._most = most
        self._time_s = time_s
        self._arriving: dict[asyncio.Future[None], None] = {}
        """For each call whose request has not arrived, what ends its wait; the longest wait first."""

    def wrap(self, handler: grpc.GenericRpcHandler) -> grpc.GenericRpcHandler:
        """Return the handler of a service that reads single requests here. Methods with streams of requests stay."""
        return _Wrapped(self, handler)

    def wrap_method(self, method: "grpc.RpcMethodHandler[Any, Any]") -> "grpc.RpcMethodHandler[Any, Any]":
        """Return the handler of one method."""
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
        """Return the request; end the call if it does not arrive. A pending read is not cancelled: it would leak."""
        if len(self._arriving) >= self._most:
            self._arriving.pop(longest := next(iter(self._arriving)))
            longest.set_result(None)
        reading = asyncio.ensure_future(context.read())
        reading.add_done_callback(_retrieve_exception)
        crowded_out: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arriving[crowded_out] = None
        try:
            await asyncio.wait({reading, crowded_out}, timeout=self._time_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._arriving.pop(crowded_out, None)
        if not reading.done():
            if crowded_out.done():
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests arrive at once")
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"no request within {self._time_s:g} s")
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


def _retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Retrieve a task's exception, so that asyncio does not report it when the call ends."""
    if not task.cancelled():
        task.exception()
