"""Limits how many requests an address may send, and how many are under way at once."""

from collections import OrderedDict
from collections.abc import Callable
from math import ceil

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.endpoint import answer_error
from arena.web.errors import BUSY, RefusedError
from arena.web.limits import WebLimits
from arena.web.page import client_address


class TokenBuckets:
    """Counts the requests of addresses: each has a bucket that fills at a steady rate, and a request takes a token."""

    def __init__(self, limits: WebLimits, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since any fixed instant."""
        self._limits = limits
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The tokens of each address, and when they were counted; the address that was silent for longest is first."""

    def take(self, address: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now, rate = self._clock(), self._limits.requests_a_second
        tokens, at = self._buckets.pop(address, (float(self._limits.burst), now))
        tokens = min(float(self._limits.burst), tokens + (now - at) * rate)
        has_token = tokens >= 1
        self._buckets[address] = (tokens - has_token, now)
        if len(self._buckets) > self._limits.known_addresses:
            self._buckets.popitem(last=False)
        return 0.0 if has_token else (1 - tokens) / rate


class RateLimit:
    """Answers requests above the limits with 429."""

    def __init__(self, app: ASGIApp, limits: WebLimits, clock: Callable[[], float]) -> None:
        self._app = app
        self._most = limits.requests
        self._buckets = TokenBuckets(limits, clock)
        self.under_way = 0
        """Requests that are not answered yet, without streams of events."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
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
        """Send a part of the answer."""
        if message["type"] == "http.response.start" and Headers(raw=message["headers"]).get(
            "content-type", ""
        ).startswith("text/event-stream"):
            self.release()
        await self._send(message)

    def release(self) -> None:
        """Give the place back."""
        self._limit.under_way -= self._is_taken
        self._is_taken = False
