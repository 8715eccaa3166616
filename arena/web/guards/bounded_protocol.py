"""The protocol of one connection: bounds the time in which a request arrives and an answer is read.

Without these bounds, a client that sends one byte a minute, or reads none, would hold its connection forever.
"""

import asyncio
from collections import Counter
from typing import Any, Final

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from arena.server.node.addresses import limited_network
from arena.web.limits import WebLimits
from cheatarena.addresses import is_loopback_host

CONNECTION: Final = "arena.connection"
"""The extension of a request's scope that has its connection, which an endpoint may hand over to another protocol."""
_HANDED_OVER: Final = ConnectionAbortedError("the connection has another protocol now")


def bound_protocol(limits: WebLimits) -> type[H11Protocol]:
    """Return the class of the connections of one server. Its connections are counted together."""
    counts: Counter[str] = Counter()

    class BoundedProtocol(_BoundedProtocol):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.limits, self.counts = limits, counts

    return BoundedProtocol


class _BoundedProtocol(H11Protocol):
    """A connection that is cut if its client is too slow, or if its address has too many connections."""

    limits: WebLimits
    counts: Counter[str]
    """Open connections by address."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._address = ""
        self._is_lost = False
        self._request_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        site: Any = self.app

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[CONNECTION] = self
            await site(scope, receive, send)

        self.app = with_connection

    def hand_over(self) -> asyncio.Transport:
        """Return the transport of a connection whose answer has begun. From now on, another protocol has to use it.

        The server does not count the connection any more, and the request ends as if its client were gone.
        """
        self.connection_lost(_HANDED_OVER)
        return self.transport

    def allow_time(self, time_s: float) -> None:
        """Give the request that is arriving this many seconds from now. Later requests keep the usual time."""
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = self.loop.call_later(time_s, self.transport.abort)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        super().connection_made(transport)
        self._address = limited_network(self.client[0]) if self.client else ""
        self.counts[self._address] += 1
        is_limited = self.limits.binds_loopback or not is_loopback_host(self._address)
        if is_limited and self.counts[self._address] > self.limits.connections_an_address:
            transport.abort()
            return
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_lost:
            return
        self._is_lost = True
        self.counts[self._address] -= 1
        if not self.counts[self._address]:
            del self.counts[self._address]
        _cancel(self._request_timer)
        _cancel(self._stall_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_whole_request():
            _cancel(self._request_timer)
            self._request_timer = None
        elif self._request_timer is None:
            self._wait_for_request()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer = self.loop.call_later(self.limits.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._stall_timer)
        self._stall_timer = None

    def _wait_for_request(self) -> None:
        self._request_timer = self.loop.call_later(self.limits.request_s, self.transport.abort)

    def _has_whole_request(self) -> bool:
        """Return whether a request waits for its answer, or nothing has arrived since the last answer."""
        cycle: RequestResponseCycle | None = self.cycle  # the base class has None until the first request
        if cycle is None or cycle.more_body:
            return False
        return not cycle.response_complete or not self.conn.trailing_data[0]


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
