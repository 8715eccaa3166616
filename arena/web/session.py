"""The session of an owner or organizer who has logged in, and its cookie.

Browsers withhold the cookie from scripts (HttpOnly) and from requests that another site caused (SameSite=Strict).
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.responses import RedirectResponse, Response

from arena.errors import BannedError, DeniedError
from arena.server.node.rate_limits import TokenBuckets
from arena.server.store.login_store import ORGANIZER, SESSION_S
from arena.typed_command import plain_command
from arena.web.errors import BUSY, RefusedError
from arena.web.limits import WebLimits
from arena.web.page import Asked

LOGGED_OUT: Final = "log in first, with a code from `python -m cheatarena login`"


_NO_OWNER: Final = "this is the login of an organizer, whose page is /overview: log in with a code of your own"
_NO_ORGANIZER: Final = (
    f"log in as an organizer first, with a code from `{plain_command('token', 'login')}` on the server's machine"
)


@dataclass(frozen=True, slots=True)
class Session:
    owner: str
    """An organizer is named as `login_store.ORGANIZER` says."""
    secret: str = field(repr=False)

    @property
    def is_organizer(self) -> bool:
        return self.owner.startswith(ORGANIZER)

    @property
    def form_token(self) -> str:
        """What the forms of this session have in a hidden field."""
        return hmac.new(self.secret.encode(), b"form", hashlib.sha256).hexdigest()


def count_logins(limits: WebLimits, clock: Callable[[], float]) -> TokenBuckets:
    """`clock` returns seconds since any fixed instant."""
    return TokenBuckets(limits.logins_a_minute / 60, limits.logins_a_minute, limits.known_addresses, clock)


async def require_session(asked: Asked) -> Session:
    """Return the session of an owner. Raises RefusedError if there is none, or for a ban."""
    session = await require_login(asked)
    if session.is_organizer:
        raise RefusedError(403, _NO_OWNER)
    return session


async def require_organizer(asked: Asked) -> Session:
    """Return the session of an organizer. Raises RefusedError if there is none."""
    try:
        session = await require_login(asked)
    except RefusedError as error:
        raise RefusedError(401, _NO_ORGANIZER) from error
    if not session.is_organizer:
        raise RefusedError(403, _NO_ORGANIZER)
    return session


async def require_login(asked: Asked) -> Session:
    """Return anybody's session. Raises RefusedError if the cookie is missing, wrong or over, or for a ban."""
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
    begun = Session(await sources.store.logins.check_session(secret), secret)
    return _redirect(asked, "/overview" if begun.is_organizer else "/me", secret, int(SESSION_S))


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
