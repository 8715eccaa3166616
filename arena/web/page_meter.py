"""Metrics of the pages for Prometheus: how many requests for each page, and how long until the first byte."""

import time
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

PAGE: Final = "arena.page"
"""The key of a request's scope with the path of the page that took it, as its route has it."""
_NO_PAGE: Final = "none"
"""What is asked for where no page is, or refused before a page sees it. Static files are no pages either."""
_BUCKETS_S: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class PageMeter:
    """The metrics name pages by their routes, so no reader can make new ones."""

    def __init__(self, registry: "CollectorRegistry") -> None:
        from prometheus_client import Counter, Histogram  # noqa: PLC0415  few sites are measured

        self._requests = Counter(
            "arena_page_requests", "Requests that were answered.", ["page", "code"], registry=registry
        )
        self._first_byte = Histogram(
            "arena_page_first_byte_seconds", "From a request to its answer.", buckets=_BUCKETS_S, registry=registry
        )

    def note(self, page: str, code: int, seconds: float) -> None:
        self._requests.labels(page, str(code)).inc()
        self._first_byte.observe(seconds)


class MeteredRequests:
    """Notes each request when its answer begins; what follows, such as events of a live table, may take for ever."""

    def __init__(self, app: ASGIApp, meter: PageMeter) -> None:
        self._app = app
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.monotonic()

        async def send_noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._meter.note(scope.get(PAGE, _NO_PAGE), message["status"], time.monotonic() - began)
            await send(message)

        await self._app(scope, receive, send_noted)
