"""Assembles the site: its pages, static files and description, within their guards."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web import static_files
from arena.web.endpoint import handle_error, page_endpoint
from arena.web.guards.rate_limit import RateLimit
from arena.web.guards.request_check import RequestCheck
from arena.web.page import PageRoute
from arena.web.page_list import PAGES
from arena.web.page_meter import MeteredRequests, PageMeter
from arena.web.policy import CONTENT_SECURITY_POLICY
from arena.web.rendering import set_site
from arena.web.sources import Sources

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without any referrer, browsers do not say where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_LEAST_ZIPPED_BYTES: Final = 1_024


def build_application(
    sources: Sources,
    hosts: Collection[str] = (),
    pages: Collection[PageRoute] = PAGES,
    meter: PageMeter | None = None,
) -> Starlette:
    """Return the site as an ASGI application. `hosts` are its names besides loopback and the one of its public URL."""
    set_site(sources.site)
    known = {*hosts, urlsplit(sources.public_url).hostname or ""} - {""}
    return Starlette(
        routes=[route for page in pages for route in _page_routes(page, sources)]
        + [Route(static_files.PATH, static_files.serve_static)],
        middleware=[
            *([] if meter is None else [Middleware(MeteredRequests, meter)]),
            Middleware(SecurityHeaders),
            Middleware(RequestCheck, sources.limits, known, {page.path for page in pages if page.limits_body}),
            Middleware(RateLimit, sources.limits, sources.monotonic),
            Middleware(GZipMiddleware, minimum_size=_LEAST_ZIPPED_BYTES, compresslevel=5),
        ],
        exception_handlers={HTTPException: handle_error, Exception: handle_error},
    )


def _page_routes(page: PageRoute, sources: Sources) -> list[Route]:
    """The route of the JSON comes first, because the other one fits its path too."""
    endpoint = page_endpoint(page, sources)
    return [Route(path, endpoint, methods=[page.method]) for path in (page.json_path, page.path) if path]


class SecurityHeaders:
    """Tells browsers, in every answer, what a page may do: load from this site alone, and little else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)  # a file may have a stricter policy of its own
            await send(message)

        await self._app(scope, receive, send_with_headers)
