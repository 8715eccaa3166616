"""`arena invite`: makes, lists and revokes invitations, even while a server runs."""

import time
from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.present import present, present_rows
from arena.cli.store_access import ServerDataOption, format_date, parse_duration, plain_fields, with_store
from arena.server.store.account_values import InvitationRow
from arena.server.store.secret_text import handle_of

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.command()
def create(
    owner: Annotated[
        str, typer.Option(help="Owner whom it is for, new or known. Default: the author chooses a new name.")
    ] = "",
    bots: Annotated[int, typer.Option(help="Bots that the author may create with it.")] = 4,
    ttl: Annotated[float, typer.Option(metavar="DAYS", help="Days that the code is valid, up to 365.")] = 14.0,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Make an invitation and show its code, which works once and cannot be shown again."""
    lifetime = parse_duration("ttl", ttl, "days")
    code = with_store(data, lambda store: store.invitations.create(owner or None, bots, lifetime))
    present({"code": code, "handle": handle_of(code), "owner": owner or None, "bots": bots}, json, [code])
    if not json:
        print_status("The code is not shown again. The author runs: python -m cheatarena join ADDRESS CODE")


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include used, expired and revoked invitations.")] = False,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """List invitations without their codes."""
    now = time.time()
    times = "created_at", "expires_at", "used_at", "used_by", "revoked_at"
    rows = [
        plain_fields(row, "handle", "owner")
        | {"bots": row.bot_limit}
        | plain_fields(row, *times)
        | {"state": _state_text(row, now)}
        for row in with_store(data, lambda store: store.invitations.list())
        if everything or row.is_open(now)
    ]
    owner_of = {"owner": lambda row: row["owner"] or "(any)"}
    present_rows(rows, json, {"handle": "handle", **owner_of, "bots": "bots", "made": "created_at", "state": "state"})


@app.command()
def revoke(
    handle: Annotated[str, typer.Argument(help="The first twelve characters of the code.")],
    data: ServerDataOption = None,
) -> None:
    """Revoke an invitation. An owner who has joined with it stays."""
    was_open = with_store(data, lambda store: store.invitations.revoke(handle))
    print(f"revoked: {handle}" if was_open else "this invitation was used, expired or revoked before")


def _state_text(row: InvitationRow, now: float) -> str:
    if row.used_at is not None:
        return f"used by {row.used_by}"
    if row.revoked_at is not None:
        return "revoked"
    return f"valid until {format_date(row.expires_at)}" if row.is_open(now) else "expired"
