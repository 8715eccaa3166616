"""A page: the value that it shows, as HTML and as JSON. The function of a page takes `Asked` and returns a page."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import quote
from arena.plain_data import to_finite_plain
from arena.server.node.addresses import limited_network
from arena.web.errors import RefusedError
from arena.web.rendering import render_template
from arena.web.sources import Sources

JSON: Final = "application/json"
NEWEST: Final = "no-cache"
"""Caches ask whether a page has changed, each time."""
SETTLED: Final = "public, max-age=300"
"""Caches may keep a page of something that has ended for a while."""
PRIVATE: Final = "no-store"
"""Nobody may keep a page of an owner, not even the browser."""


@dataclass(frozen=True, slots=True)
class Page:
    template: str
    view: Any
    """The public value, a dataclass or a mapping: the page's JSON, and `view` in the template."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the template needs besides."""
    caching: str = NEWEST
    policy: str = ""
    """Its content security policy; empty for that of the site."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    html: bytes
    json: bytes
    caching: str = NEWEST

    @property
    def size(self) -> int:
        """Bytes of both forms."""
        return len(self.html) + len(self.json)


@dataclass(frozen=True, slots=True)
class File:
    """A page that is a file."""

    content: bytes
    media_type: str
    name: str = ""
    """The name under which a browser saves it; empty if the browser shows it."""
    caching: str = NEWEST
    policy: str = ""
    """Its content security policy; empty for that of the site."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that a request may have, in its path or behind `?`."""

    name: str
    meaning: str
    kind: type = str
    in_path: bool = False


class Asked:
    """A request, with the sources that answer it."""

    def __init__(self, request: Request, sources: Sources) -> None:
        self._request = request
        self.sources = sources

    @property
    def request(self) -> Request:
        """The request itself, for what reads its cookies and forms."""
        return self._request

    @property
    def address(self) -> str:
        """The address or the IPv6 network that the client's requests are counted under."""
        return client_address(self._request.scope)

    @property
    def site_url(self) -> str:
        """The address of the site as its readers have it, without a slash at its end."""
        return self.sources.public_url or str(self._request.base_url).rstrip("/")

    @property
    def last_event_id(self) -> str:
        """The id of the last server-sent event that the client has; empty if it has none."""
        return self._request.headers.get("last-event-id") or self.text("after") or ""

    @property
    def takes_chunks(self) -> bool:
        """Whether the body of an answer without a length is sent in chunks, as HTTP/1.1 has it."""
        return bool(self._request.scope["http_version"] == "1.1")

    @property
    def wants_json(self) -> bool:
        return wants_json(self._request)

    def part(self, name: str) -> str:
        """Return a part of the path."""
        return str(self._request.path_params[name])

    def number_in_path(self, name: str) -> int | None:
        """Return a part of the path that is a whole number; None if the path lacks it. Raises RefusedError."""
        given = self._request.path_params.get(name)
        return None if given is None else read_number(f"the {name}", given, 0, 10**8)

    def text(self, name: str, most: int = 64) -> str | None:
        """Return a parameter; None if it is missing or empty. Raises RefusedError if it has over `most` characters."""
        given = self._request.query_params.get(name) or None
        if given is not None and len(given) > most:
            raise RefusedError(400, f"the parameter {name} has {len(given)} characters: at most {most}")
        return given

    def number(self, name: str, least: int, most: int) -> int | None:
        """Return a parameter that is a whole number; None if it is missing. Raises RefusedError for another one."""
        given = self.text(name)
        return None if given is None else read_number(name, given, least, most)


def wants_json(request: Request) -> bool:
    """Return whether a request is for JSON: by the ending of its path, or because its client prefers it to HTML."""
    if request.scope["path"].endswith(".json"):
        return True
    accepted = [each.partition(";")[0].strip() for each in request.headers.get("accept", "").split(",")]
    return JSON in accepted and "text/html" not in accepted


def read_number(name: str, given: str, least: int, most: int) -> int:
    """Raises RefusedError if the text is no whole number in the range."""
    if not (given.isascii() and given.isdigit() and len(given) < 10 and least <= int(given) <= most):
        raise RefusedError(400, f"{name} is {quote(given)}: expected a whole number from {least} to {most}")
    return int(given)


def client_address(scope: Mapping[str, Any]) -> str:
    """Return the address or the IPv6 network of the client of an ASGI connection."""
    client = scope.get("client")
    return limited_network(client[0]) if client else ""


ReadPage = Callable[[Asked], Awaitable[Page | RenderedPage | File | Response]]
"""A page's function. It returns a whole `Response` only for what is no page, such as a stream of events."""
Read = TypeVar("Read", bound=ReadPage)


@dataclass(frozen=True, slots=True)
class PageRoute:
    path: str
    read: ReadPage
    summary: str
    view: Any = None
    """The type of the page's JSON; None if the page is a file."""
    parameters: tuple[Parameter, ...] = ()
    media_type: str = "text/html"
    """The content type of the page itself, or of the file."""
    method: str = "GET"
    is_private: bool = False
    """Whether only an owner who has logged in sees it."""
    limits_body: bool = False
    """Whether the page itself bounds the body of its requests, which may be larger than that of others."""

    @property
    def json_path(self) -> str:
        """Empty if the page is a file."""
        if self.view is None:
            return ""
        return "/index.json" if self.path == "/" else f"{self.path}.json"


ROUTES: Final[dict[str, list[PageRoute]]] = {}
"""The routes that `page_at` has made, by the module of their functions. `page_list` has all of them."""


def page_at(
    path: str,
    summary: str,
    view: Any = None,
    *parameters: Parameter,
    media_type: str = "text/html",
    method: str = "GET",
    is_private: bool = False,
    limits_body: bool = False,
) -> Callable[[Read], Read]:
    """Serve a page of the site by the function below; the arguments are the fields of `PageRoute`."""

    def add_route(read: Read) -> Read:
        route = PageRoute(path, read, summary, view, parameters, media_type, method, is_private, limits_body)
        ROUTES.setdefault(read.__module__, []).append(route)
        return read

    return add_route


def render_page(page: Page) -> RenderedPage:
    return RenderedPage(render_html(page), render_json(page), page.caching)


def render_html(page: Page) -> bytes:
    return render_template(page.template, view=page.view, **page.values)


def render_json(page: Page) -> bytes:
    """NaN and infinity become null, since JSON lacks them."""
    return msgspec.json.encode(to_finite_plain(page.view))
