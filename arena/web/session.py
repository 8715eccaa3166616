"""The session of an owner who has logged in, and its cookie.

A browser sends the cookie with no request that another site has caused (SameSite=Strict), and shows it to no script.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import RedirectResponse, Response

from arena.errors import BannedError, DeniedError
from arena.server.node.rate_limits import TokenBuckets
from arena.server.store.login_store import SESSION_S
from arena.web.errors import BUSY, RefusedError
from arena.web.limits import WebLimits
from arena.web.page import Asked

LOGGED_OUT: Final = "log in first, with a code from `arena login`"


@dataclass(frozen=True, slots=True)
class Session:
    owner: str
    secret: str = field(repr=False)

    @property
    def form_token(self) -> str:
        """What the forms of this session have in a hidden field."""
        return hmac.new(self.secret.encode(), b"form", hashlib.sha256).hexdigest()


def count_logins(limits: WebLimits, clock: Callable[[], float]) -> TokenBuckets:
    """`clock` returns seconds since any fixed instant."""
    return TokenBuckets(limits.logins_a_minute / 60, limits.logins_a_minute, limits.known_addresses, clock)


async def require_session(asked: Asked) -> Session:
    """Raises RefusedError if the cookie is missing, wrong or over, or for a ban."""
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
    await asked.sources.store.logins.end_session(session.secret)
    return _redirect(asked, "/", "", 0)


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
