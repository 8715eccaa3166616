"""`arena token`: creates, lists, rotates and revokes access tokens, even while a server runs."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.store_access import ServerDataOption, format_date, parse_duration, with_store
from arena.plurals import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.server.store.account_values import TokenRow
    from arena.server.store.open_store import Store

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True, help="Manage access tokens.")

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
) -> int:
    """Create a token for a bot or (with `--scope own`) an owner. Show its secret, which cannot be shown again."""
    from arena.cli.console import print_json, print_status
    from arena.server.store.secret_text import handle_of

    scopes = scope or ["play"]
    lifetime = None if ttl is None else parse_duration("ttl", ttl, "days")

    async def make(store: "Store") -> str:
        holder = await _find_owner(store, name, owner, scopes)
        return await store.tokens.create(name, scopes, lifetime, holder)

    secret = with_store(data, make)
    if json:
        print_json({"name": name, "scopes": scopes, "token": secret, "handle": handle_of(secret)})
    else:
        print(secret)
        print_status(
            "This token is not shown again. Bots read it from CHEATARENA_TOKEN, organizer's commands from ARENA_TOKEN."
        )
    return ExitCode.YES


async def _find_owner(store: "Store", name: str, owner: str, scopes: "Sequence[str]") -> str | None:
    """Return the owner of a new token. Register a bot that gets an owner. Raises UnknownNameError, OptionError."""
    from arena.server.store.account_values import OWNER_SCOPES

    if not OWNER_SCOPES.isdisjoint(scopes):
        return (await store.owners.get(name)).name
    if owner:
        await store.owners.register_bot(owner, name)
        return owner
    known = await store.owners.owner_of(name)
    if known is None and "play" in scopes:
        await store.owners.check_unowned_name(name)
    return known


@app.command("list")
def list_(
    everything: Annotated[
        bool, typer.Option("--all", help="Include tokens that were revoked or have expired.")
    ] = False,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> int:
    """List tokens without their secrets."""
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console

    rows = with_store(data, lambda store: store.tokens.list())
    now = time.time()
    rows = [row for row in rows if everything or row.is_valid(now)]
    if json:
        print_json([_token_as_dict(row) for row in rows])
        return ExitCode.YES
    from rich.table import Table

    table = Table("handle", "name", "owner", "scopes", "last used", "state")
    for row in rows:
        scopes, used = ", ".join(sorted(row.scopes)), format_date(row.last_used_at)
        table.add_row(row.handle, row.name, row.owner, scopes, used, _state_text(row))
    stdout_console().print(table)
    return ExitCode.YES


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
) -> int:
    """Replace a token by a new one and show the new secret. After the overlap, the old token and its streams end."""
    from arena.cli.console import print_json, print_status
    from arena.server.store.secret_text import handle_of

    hours = parse_duration("overlap", overlap, "hours")
    lifetime = None if ttl is None else parse_duration("ttl", ttl, "days")
    made = with_store(data, lambda store: store.tokens.rotate(name, hours, ttl=lifetime))
    if json:
        scopes = sorted(made.scopes)
        print_json({"name": made.name, "scopes": scopes, "token": made.secret, "handle": handle_of(made.secret)})
    else:
        print(made.secret)
        valid = format_count(overlap, "more hour", "g")
        print_status(f"This token is not shown again. The old one of {made.name} is valid for {valid}.")
    return ExitCode.YES


@app.command()
def revoke(name: NameArgument, data: ServerDataOption = None, json: JsonOption = False) -> int:
    """Revoke tokens. Sessions that were opened with them end within a second."""
    from arena.cli.console import print_json

    handles = with_store(data, lambda store: store.tokens.revoke(name))
    if json:
        print_json({"revoked": list(handles)})
    else:
        print(f"revoked: {', '.join(handles)}" if handles else "all these tokens had been revoked before")
    return ExitCode.YES


def _token_as_dict(row: "TokenRow") -> dict[str, Any]:
    return {
        "handle": row.handle,
        "name": row.name,
        "owner": row.owner,
        "scopes": sorted(row.scopes),
        "created_at": format_date(row.created_at),
        "expires_at": format_date(row.expires_at),
        "revoked_at": format_date(row.revoked_at),
        "last_used_at": format_date(row.last_used_at),
        "state": _state_text(row),
    }


def _state_text(row: "TokenRow") -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at is None:
        return "valid"
    return f"valid until {format_date(row.expires_at)}" if row.is_valid(time.time()) else "expired"
