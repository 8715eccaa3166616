"""Lets only pages of this site send forms.

A form counts only if the browser says that it comes from this site, and, in a session, if it has the session's own
token, which no other site can know.
"""

import hmac
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from starlette.requests import ClientDisconnect

from arena.web.errors import RefusedError
from arena.web.page import Asked
from arena.web.session import Session

FORM_TOKEN: Final = "form_token"  # noqa: S105  the name of a field, not a secret
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_PORTS: Final = {"http": 80, "https": 443}
_MOST_FIELDS: Final = 8


async def read_form(asked: Asked) -> Mapping[str, str]:
    """Return the fields. Raises RefusedError, also if another site may have caused the request."""
    request = asked.request
    require_own_site(asked)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
        raise RefusedError(415, f"a form must be sent as {_FORM_TYPE}")
    try:
        body = await request.body()
    except ClientDisconnect as error:  # the client is gone, or the body was cut because it is too large
        raise RefusedError(413, "the form did not arrive whole") from error
    most = asked.sources.limits.form_bytes
    if len(body) > most:
        raise RefusedError(413, f"the form has {len(body)} bytes: at most {most}")
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise RefusedError(
            400, f"the form cannot be read: expected at most {_MOST_FIELDS} URL-encoded fields"
        ) from error
    return {name: values[0] for name, values in fields.items()}


def check_form_token(session: Session, form: Mapping[str, str]) -> None:
    """Raise RefusedError if a form does not come from a page of this session."""
    if not hmac.compare_digest(form.get(FORM_TOKEN, "").encode(), session.form_token.encode()):
        raise RefusedError(403, "this form belongs to another session: reload its page")


def require_own_site(asked: Asked) -> None:
    """Raise RefusedError unless the browser says that a form comes from this site, in one of two headers."""
    headers = asked.request.headers
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    is_own = origin is None or _origin_of(origin) == _origin_of(asked.site_url)
    if not (is_own and site in (None, "same-origin") and (origin or site)):
        raise RefusedError(403, "this form must be sent from a page of this site")


def _origin_of(url: str) -> tuple[Any, ...] | None:
    """Return a URL's origin (RFC 6454): scheme, host and port; None if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None
