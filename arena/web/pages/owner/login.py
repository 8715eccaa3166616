"""Logs owners in and out."""

from starlette.responses import Response

from arena.web.page import PRIVATE, Asked, Page, PageRoute
from arena.web.session import begin_session, check_form_token, end_session, read_form, require_session


async def read_login(_: Asked) -> Page:
    """Return the form for a login code."""
    return Page("login.html", None, caching=PRIVATE)


async def log_in(asked: Asked) -> Response:
    """Redeem the code of a form."""
    form = await read_form(asked)
    return await begin_session(asked, form.get("code", "").strip())


async def log_out(asked: Asked) -> Response:
    """End the session."""
    form, session = await read_form(asked), await require_session(asked)
    check_form_token(session, form)
    return await end_session(asked, session)


LOGIN = PageRoute("/login", read_login, "The form in which an owner enters a login code")
LOGIN_FORM = PageRoute("/login", log_in, "Redeems a login code, and sets the cookie of a session", method="POST")
LOGOUT = PageRoute("/logout", log_out, "Ends the session", method="POST", is_private=True)
