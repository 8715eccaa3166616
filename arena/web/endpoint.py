"""Answers requests for pages: in the requested form, with conditional requests, and with errors as pages."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import StoreError
from arena.log_lines import get_logger
from arena.web.errors import refusal_of
from arena.web.page import (
    JSON,
    PRIVATE,
    Asked,
    File,
    Page,
    PageRoute,
    RenderedPage,
    render_html,
    render_json,
    wants_json,
)
from arena.web.page_meter import PAGE
from arena.web.rendering import render_template
from arena.web.sources import Sources

log = get_logger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]
HTML = "text/html; charset=utf-8"


def page_endpoint(route: PageRoute, sources: Sources) -> Endpoint:
    async def answer(request: Request) -> Response:
        request.scope[PAGE] = route.path
        try:
            found = await route.read(Asked(request, sources))
            answered = _respond(request, found, is_json=bool(route.json_path) and wants_json(request))
        except Exception as error:  # noqa: BLE001  the outermost edge
            return answer_error(request, error)
        if route.is_private:
            answered.headers["Cache-Control"] = PRIVATE
        return answered

    return answer


async def handle_error(request: Request, error: Exception) -> Response:
    """Answer a request that no page took."""
    return answer_error(request, error)


def answer_error(request: Request, error: Exception) -> Response:
    """Answer with one sentence, as a page or as JSON. Errors of our own are logged."""
    status, sentence, headers = refusal_of(error)
    if isinstance(error, StoreError) and status == HTTPStatus.SERVICE_UNAVAILABLE:
        log.warning("page waits for the store", path=request.scope["path"], fault=str(error))
    elif status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("page failed", path=request.scope["path"], exc_info=error)
    return error_response(status, sentence, headers, is_json=wants_json(request), path=request.scope["path"])


def error_response(status: int, sentence: str, headers: Mapping[str, str], *, is_json: bool, path: str) -> Response:
    """`path` is that of the request."""
    phrase = HTTPStatus(status).phrase
    if is_json:
        content, media_type = msgspec.json.encode({"status": status, "error": sentence}), JSON
    else:
        content, media_type = _render_error(status, phrase, sentence, path), HTML
    return Response(content, status, {"Cache-Control": "no-store", **headers}, media_type)


def _render_error(status: int, phrase: str, sentence: str, path: str) -> bytes:
    return render_template(
        "error.html",
        status=status,
        phrase=phrase,
        sentence=sentence,
        is_of_submission=path.startswith("/me/submissions"),
        is_of_login=path == "/login",
    )


def _respond(request: Request, found: Page | RenderedPage | File | Response, *, is_json: bool) -> Response:
    if isinstance(found, Response):
        return found
    content, media_type = _content_of(found, is_json=is_json)
    headers = {"Cache-Control": found.caching, "ETag": f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'}
    if not isinstance(found, File):
        headers["Vary"] = "Accept"
    else:
        headers |= {"Content-Disposition": f'attachment; filename="{found.name}"'} if found.name else {}
    if not isinstance(found, RenderedPage) and found.policy:
        headers["Content-Security-Policy"] = found.policy
    if _is_known(request, headers["ETag"]):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, headers=headers, media_type=media_type)


def _content_of(found: Page | RenderedPage | File, *, is_json: bool) -> tuple[bytes, str]:
    match found:
        case File():
            return found.content, found.media_type
        case RenderedPage():
            return (found.json, JSON) if is_json else (found.html, HTML)
        case Page():
            return (render_json(found), JSON) if is_json else (render_html(found), HTML)


def _is_known(request: Request, etag: str) -> bool:
    """Return whether the client has this version (RFC 9110, section 13.1.2)."""
    given = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    return "*" in given or etag in given or etag.removeprefix("W/") in given
