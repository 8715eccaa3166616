"""`arena token`: creates, lists, rotates and revokes access tokens, even while a server runs."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.present import present, present_rows
from arena.cli.store_access import ServerDataOption, format_date, parse_duration, plain_fields, with_store
from arena.plurals import format_count
from arena.server.store.account_values import OWNER_SCOPES, TokenRow
from arena.server.store.secret_text import handle_of

if TYPE_CHECKING:
    from arena.server.store.open_store import Store

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME-OR-HANDLE", help="A token's handle, or a name for all its tokens.")
]
TtlOption = Annotated[
    float | None, typer.Option(metavar="DAYS", help="Days that the token is valid. Default: forever.")
]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the token; a bot plays under this name.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="Permission: play, organize, spectate, relay or (owners) own or submit; repeatable. Default: play."
        ),
    ] = None,
    owner: Annotated[str, typer.Option(help="Owner of the bot. Default: the owner that it has, if any.")] = "",
    ttl: TtlOption = None,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Create a token for a bot or (with `--scope own`) an owner. Show its secret, which cannot be shown again."""
    scopes = scope or ["play"]
    lifetime = None if ttl is None else parse_duration("ttl", ttl, "days")

    async def make(store: "Store") -> str:
        holder = await _find_owner(store, name, owner, scopes)
        return await store.tokens.create(name, scopes, lifetime, holder)

    readers = "Bots read it from CHEATARENA_TOKEN, organizer's commands from ARENA_TOKEN."
    _show_secret(name, scopes, with_store(data, make), readers, json)


async def _find_owner(store: "Store", name: str, owner: str, scopes: Sequence[str]) -> str | None:
    """Return the owner of a new token. Register a bot that gets an owner. Raises UnknownNameError, OptionError."""
    if not OWNER_SCOPES.isdisjoint(scopes):
        return (await store.owners.get(name)).name
    if owner:
        await store.owners.register_bot(owner, name)
        return owner
    known = await store.owners.owner_of(name)
    if known is None and "play" in scopes:
        await store.owners.check_unowned_name(name)
    return known


@app.command()
def login(
    name: Annotated[str, typer.Argument(help="Name of a valid token with the scope `organize`.")],
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a code with which an organizer logs in to the overview on the web pages. It is valid for ten minutes, once.

    The session lasts two weeks, or until no token of this name is valid.
    """
    code, expires_at = with_store(data, lambda store: store.logins.create_organizer_code(name))
    present({"code": code, "expires_at": str(format_date(expires_at))}, json, [code])
    if not json:
        print_status("Enter this code at /login of the web pages. It works once, within ten minutes.")


@app.command("list")
def list_(
    everything: Annotated[
        bool, typer.Option("--all", help="Include tokens that were revoked or have expired.")
    ] = False,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """List tokens without their secrets."""
    now = time.time()
    fields = "handle", "name", "owner", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at"
    rows = [
        plain_fields(row, *fields) | {"state": _state_text(row)}
        for row in with_store(data, lambda store: store.tokens.list())
        if everything or row.is_valid(now)
    ]
    columns = {name: name for name in ("handle", "name", "owner", "scopes")}
    present_rows(rows, json, columns | {"last used": "last_used_at", "state": "state"})


@app.command()
def rotate(
    name: NameArgument,
    overlap: Annotated[
        float, typer.Option(metavar="HOURS", help="Hours for which the old token stays valid, 0 to 720.")
    ] = 24.0,
    ttl: Annotated[
        float | None,
        typer.Option(metavar="DAYS", help="Days that the new token is valid. Default: as the old one was."),
    ] = None,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Replace a token by a new one and show the new secret. After the overlap, the old token and its streams end."""
    hours = parse_duration("overlap", overlap, "hours")
    lifetime = None if ttl is None else parse_duration("ttl", ttl, "days")
    made = with_store(data, lambda store: store.tokens.rotate(name, hours, ttl=lifetime))
    old = f"The old one of {made.name} is valid for {format_count(overlap, 'more hour', 'g')}."
    _show_secret(made.name, sorted(made.scopes), made.secret, old, json)


@app.command()
def revoke(name: NameArgument, data: ServerDataOption = None, json: JsonOption = False) -> None:
    """Revoke tokens. Sessions that were opened with them end within a second."""
    handles = with_store(data, lambda store: store.tokens.revoke(name))
    said = f"revoked: {', '.join(handles)}" if handles else "all these tokens had been revoked before"
    present({"revoked": list(handles)}, json, [said])


def _show_secret(name: str, scopes: Sequence[str], secret: str, more: str, is_json: bool) -> None:
    """Print the secret of a new token, which is all of stdout, so that a script can read it."""
    present({"name": name, "scopes": scopes, "token": secret, "handle": handle_of(secret)}, is_json, [secret])
    if not is_json:
        print_status(f"This token is not shown again. {more}")


def _state_text(row: TokenRow) -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at is None:
        return "valid"
    return f"valid until {format_date(row.expires_at)}" if row.is_valid(time.time()) else "expired"
