"""Limits how many requests an address may send, and how many are under way at once."""

from collections.abc import Callable
from math import ceil

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.server.node.rate_limits import TokenBuckets
from arena.web.endpoint import answer_error
from arena.web.errors import BUSY, RefusedError
from arena.web.limits import WebLimits
from arena.web.page import client_address


class RateLimit:
    """Answers requests above the limits with 429."""

    def __init__(self, app: ASGIApp, limits: WebLimits, clock: Callable[[], float]) -> None:
        self._app = app
        self._most = limits.requests
        self._buckets = TokenBuckets(limits.requests_a_second, limits.burst, limits.known_addresses, clock)
        self.under_way = 0
        """Requests that are not answered yet, without streams of events."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wait_s = self._buckets.take(client_address(scope)) or float(self.under_way >= self._most)
        if wait_s:
            refusal = RefusedError(429, BUSY, {"Retry-After": str(ceil(wait_s))})
            await answer_error(Request(scope), refusal)(scope, receive, send)
            return
        slot = _Slot(self, send)
        try:
            await self._app(scope, receive, slot.send)
        finally:
            slot.release()


class _Slot:
    """The place of a request among those under way. A stream of events, which stays open, gives it back at once."""

    def __init__(self, limit: RateLimit, send: Send) -> None:
        self._limit = limit
        self._send = send
        self._is_taken = True
        limit.under_way += 1

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and Headers(raw=message["headers"]).get(
            "content-type", ""
        ).startswith("text/event-stream"):
            self.release()
        await self._send(message)

    def release(self) -> None:
        self._limit.under_way -= self._is_taken
        self._is_taken = False
