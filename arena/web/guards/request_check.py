"""Refuses requests that are too large, or meant for another site, before a page sees them."""

import re
from collections.abc import Collection
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.errors import quote
from arena.web.endpoint import answer_error
from arena.web.errors import RefusedError
from arena.web.limits import WebLimits
from cheatarena.addresses import is_loopback_host

_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:]*)(?::[0-9]*)?")
"""A host and perhaps a port, as the header Host has them (RFC 9110, section 7.2)."""

_FIELD_BYTES: Final = len(": \r\n")
"""The bytes of a header besides its name and value."""


class RequestCheck:
    """Checks the host, the length of the URL, and the sizes of the headers and the body of each request.

    The server bounds headers only while they are incomplete, so those that arrive at once may be larger.

    Another host is refused because a page of another site could otherwise read this one under its own name, by pointing
    that name at this machine (DNS rebinding).

    Starlette's TrustedHostMiddleware reads only up to the first colon: it takes `localhost:evil.example`, and IPv6 only
    as any name that begins with a bracket. It minds capitals, knows no networks, and refuses without a sentence.
    """

    def __init__(
        self, app: ASGIApp, limits: WebLimits, hosts: Collection[str], unlimited_paths: Collection[str] = ()
    ) -> None:
        """`hosts` are the names of this site besides those of the loopback interface, without ports.

        What is posted to `unlimited_paths` may have any size: the pages there bound what they read.
        """
        self._app = app
        self._limits = limits
        self._hosts = frozenset(hosts)
        self._unlimited_paths = frozenset(unlimited_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            self._check(request)
        except RefusedError as error:
            await answer_error(request, error)(scope, receive, send)
            return
        if not self._is_unlimited(request):
            receive = _LimitedBody(receive, self._limits.body_bytes).receive
        await self._app(scope, receive, send)

    def _is_unlimited(self, request: Request) -> bool:
        return request.method == "POST" and request.scope["path"] in self._unlimited_paths

    def _check(self, request: Request) -> None:
        host = _host_of(request)
        if not (is_loopback_host(host) or host in self._hosts):
            raise RefusedError(400, f"this site is not called {quote(host)}: check the Host header")
        length = len(request.scope["raw_path"]) + len(request.scope["query_string"])
        if length > self._limits.url_bytes:
            raise RefusedError(414, f"the URL has {length} bytes: at most {self._limits.url_bytes}")
        size_of_headers = sum(len(name) + len(value) + _FIELD_BYTES for name, value in request.headers.raw)
        if size_of_headers > self._limits.header_bytes:
            raise RefusedError(431, f"the headers have {size_of_headers} bytes: at most {self._limits.header_bytes}")
        size = request.headers.get("content-length", "0")
        if not size.isdigit() or (int(size) > self._limits.body_bytes and not self._is_unlimited(request)):
            raise RefusedError(413, f"the request's body is too large: at most {self._limits.body_bytes} bytes")


class _LimitedBody:
    """The body of a request that does not say its size. Past the limit it ends as if the client were gone."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}


def _host_of(request: Request) -> str:
    """Return the name of the host that a request is for, in lower case, without the port; empty if it is none."""
    found = _HOST.fullmatch(request.headers.get("host", "").lower())
    return found[1] if found else ""
