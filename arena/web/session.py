"""The session of an owner who has logged in: its cookie, and the forms that only pages of this site may send.

A browser sends the cookie with no request that another site has caused (SameSite=Strict), and shows it to no script.
A form counts only if the browser says that it comes from this site, and, in a session, if it has the session's own
token, which no other site can know.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response

from arena.errors import BannedError, DeniedError
from arena.server.node.rate_limits import TokenBuckets
from arena.server.store.login_store import SESSION_S
from arena.web.errors import BUSY, RefusedError
from arena.web.limits import WebLimits
from arena.web.page import Asked

FORM_TOKEN: Final = "form_token"  # noqa: S105  the name of a field, not a secret
LOGGED_OUT: Final = "log in first, with a code from `arena login`"
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_PORTS: Final = {"http": 80, "https": 443}
_MOST_FIELDS: Final = 8


@dataclass(frozen=True, slots=True)
class Session:
    """Who has logged in."""

    owner: str
    secret: str = field(repr=False)

    @property
    def form_token(self) -> str:
        """What the forms of this session have in a hidden field."""
        return hmac.new(self.secret.encode(), b"form", hashlib.sha256).hexdigest()


def count_logins(limits: WebLimits, clock: Callable[[], float]) -> TokenBuckets:
    """Return what counts the attempts of each address to log in. `clock` returns seconds since any fixed instant."""
    return TokenBuckets(limits.logins_a_minute / 60, limits.logins_a_minute, limits.known_addresses, clock)


async def require_session(asked: Asked) -> Session:
    """Return the session of a request. Raises RefusedError if its cookie is missing, wrong or over, or for a ban."""
    secret = _cookie_of(asked)
    try:
        return Session(await asked.sources.store.logins.check_session(secret), secret)
    except BannedError as error:
        raise RefusedError(403, str(error)) from error
    except DeniedError as error:
        raise RefusedError(401, LOGGED_OUT) from error


async def begin_session(asked: Asked, code: str) -> Response:
    """Redeem a login code, and answer with the cookie of a new session. The session that there was ends.

    Raises RefusedError if the code is not valid, or if the address has tried too often.
    """
    sources = asked.sources
    if sources.login_attempts.take(asked.address):
        raise RefusedError(429, BUSY, {"Retry-After": "60"})
    try:
        secret = await sources.store.logins.redeem_code(code)
    except DeniedError as error:
        raise RefusedError(403, str(error)) from error
    await sources.store.logins.end_session(_cookie_of(asked))
    return _redirect(asked, "/me", secret, int(SESSION_S))


async def end_session(asked: Asked, session: Session) -> Response:
    """End a session, and answer so that the browser forgets it."""
    await asked.sources.store.logins.end_session(session.secret)
    return _redirect(asked, "/", "", 0)


async def read_form(asked: Asked) -> Mapping[str, str]:
    """Return the fields of a form that was sent. Raises RefusedError if another site may have caused the request."""
    request = asked.request
    require_own_site(asked)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
        raise RefusedError(415, f"a form has to be sent as {_FORM_TYPE}")
    try:
        body = await request.body()
    except ClientDisconnect as error:  # the client is gone, or the body was cut because it is too large
        raise RefusedError(413, "the form did not arrive whole") from error
    most = asked.sources.limits.form_bytes
    if len(body) > most:
        raise RefusedError(413, f"the form is too large: at most {most} bytes")
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise RefusedError(400, "the form cannot be read") from error
    return {name: values[0] for name, values in fields.items()}


def check_form_token(session: Session, form: Mapping[str, str]) -> None:
    """Raise RefusedError if a form does not come from a page of this session."""
    if not hmac.compare_digest(form.get(FORM_TOKEN, "").encode(), session.form_token.encode()):
        raise RefusedError(403, "this form belongs to another session: load its page again")


def require_own_site(asked: Asked) -> None:
    """Raise RefusedError unless the browser says that a form comes from this site, in one of two headers."""
    headers = asked.request.headers
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    is_own = origin is None or _origin_of(origin) == _origin_of(asked.site_url)
    if not (is_own and site in (None, "same-origin") and (origin or site)):
        raise RefusedError(403, "this form has to be sent from a page of this site")


def _origin_of(url: str) -> tuple[Any, ...] | None:
    """Return what tells one origin from another (RFC 6454); None if the text is no origin."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _cookie_of(asked: Asked) -> str:
    return asked.request.cookies.get(_cookie_name(asked), "")


def _is_secure(asked: Asked) -> bool:
    return asked.site_url.startswith("https://")


def _cookie_name(asked: Asked) -> str:
    """Return the name of the cookie. With `__Host-`, browsers take it from this host alone, and over TLS."""
    return "__Host-session" if _is_secure(asked) else "session"


def _redirect(asked: Asked, path: str, secret: str, kept_s: int) -> Response:
    """Send the browser to a page of this site, with a new cookie. An empty one that is kept 0 s deletes the old."""
    answer = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
    answer.set_cookie(
        _cookie_name(asked), secret, kept_s, path="/", secure=_is_secure(asked), httponly=True, samesite="strict"
    )
    return answer
