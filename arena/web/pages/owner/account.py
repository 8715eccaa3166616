"""Logs owners in and out, and shows what they have here. Secrets are not stored, so no page can show one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from arena.server.store.account_values import TokenRow
from arena.web.guards.form_token import check_form_token, read_form
from arena.web.page import PRIVATE, Asked, Page, page_at
from arena.web.projection import project
from arena.web.session import begin_session, end_session, require_login, require_session


@page_at("/login", "The form in which an owner enters a login code")
async def read_login(_: Asked) -> Page:
    return Page("login.html", None, caching=PRIVATE)


@page_at("/login", "Redeems a login code, and sets the cookie of a session", method="POST")
async def log_in(asked: Asked) -> Response:
    form = await read_form(asked)
    return await begin_session(asked, form.get("code", "").strip())


@page_at("/logout", "Ends the session", method="POST", is_private=True)
async def log_out(asked: Asked) -> Response:
    form, session = await read_form(asked), await require_login(asked)
    check_form_token(session, form)
    return await end_session(asked, session)


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A valid token. Times are in seconds since 1970."""

    handle: str
    """Its public part."""
    scopes: Sequence[str]
    created_at: float
    last_used_at: float | None
    """Accurate to about a minute; null if it was never used."""
    expires_at: float | None


@dataclass(frozen=True, slots=True)
class OwnBotLine:
    """A bot of the owner."""

    name: str
    created_at: float
    tokens: Sequence[TokenLine]


@dataclass(frozen=True, slots=True)
class InvitationLine:
    """An invitation that the owner was given or has used. Times are in seconds since 1970."""

    handle: str
    created_at: float
    expires_at: float
    bot_limit: int
    """How many bots it allows."""
    state: str
    """`open`, `used`, `revoked` or `expired`."""


@dataclass(frozen=True, slots=True)
class Account:
    """What an owner has on this server."""

    owner: str
    contact: str
    bot_limit: int
    """The most bots that the owner may create without an organizer."""
    tokens: Sequence[TokenLine]
    """The owner's own."""
    bots: Sequence[OwnBotLine]
    invitations: Sequence[InvitationLine]


@page_at("/me", "Your bots, tokens and invitations", Account, is_private=True)
async def read_account(asked: Asked) -> Page:
    session, store, now = await require_session(asked), asked.sources.store, asked.sources.clock()
    owner = await store.owners.get(session.owner)
    invitations = [
        project(
            row,
            InvitationLine,
            state="used" if row.used_at else "revoked" if row.revoked_at else "open" if row.is_open(now) else "expired",
        )
        for row in await store.invitations.list(session.owner)
    ]
    view = project(
        owner,
        Account,
        owner=owner.name,
        tokens=_token_lines(owner.tokens),
        bots=[project(bot, OwnBotLine, tokens=_token_lines(bot.tokens)) for bot in owner.bots],
        invitations=invitations,
    )
    return Page("account.html", view, {"form_token": session.form_token}, PRIVATE)


def _token_lines(rows: Iterable[TokenRow]) -> list[TokenLine]:
    return [project(row, TokenLine, scopes=sorted(row.scopes)) for row in rows]
