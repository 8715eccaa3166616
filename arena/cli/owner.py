"""`arena owner`: adds, lists and changes the owners of bots, even while a server runs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.store_access import ServerDataOption, format_date, with_store
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.store.owner_rows import OwnerRow

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True, help="Manage the owners of bots.")

OwnerArgument = Annotated[str, typer.Argument(help="Name of the owner.")]


@app.command()
def add(
    name: OwnerArgument,
    contact: Annotated[str, typer.Option(help="How to reach the owner, such as a mail address.")] = "",
    bots: Annotated[int, typer.Option(help="Bots that the owner may create without asking.")] = 4,
    data: ServerDataOption = None,
) -> int:
    """Add an owner. `arena invite create --owner NAME` then lets the author join."""
    print(with_store(data, lambda store: store.owners.add(name, contact, bots)))
    return ExitCode.YES


@app.command("list")
def list_(data: ServerDataOption = None, json: JsonOption = False) -> int:
    """List owners with their bots."""
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console

    owners = with_store(data, lambda store: store.owners.list())
    if json:
        print_json([_owner_as_dict(owner) for owner in owners])
        return ExitCode.YES
    from rich.table import Table

    table = Table("owner", "contact", "bots", "made")
    for owner in owners:
        bots = ", ".join(bot.name for bot in owner.bots)
        table.add_row(owner.name, owner.contact, bots, format_date(owner.created_at))
    stdout_console().print(table)
    return ExitCode.YES


@app.command()
def show(name: OwnerArgument, data: ServerDataOption = None, json: JsonOption = False) -> int:
    """Show an owner, and the owner's bots with their valid tokens."""
    from arena.cli.console import print_json
    from arena.cli.result_console import stdout_console

    owner = with_store(data, lambda store: store.owners.get(name))
    if json:
        print_json(_owner_as_dict(owner))
        return ExitCode.YES
    from rich.table import Table

    console = stdout_console()
    console.print(f"{owner.name}   {owner.contact}   {len(owner.bots)} of {format_count(owner.bot_limit, 'bot')}")
    table = Table("bot", "token", "expires", "last used")
    for holder, tokens in [(f"({owner.name})", owner.tokens), *((bot.name, bot.tokens) for bot in owner.bots)]:
        for token in tokens:
            table.add_row(holder, token.handle, format_date(token.expires_at), format_date(token.last_used_at))
        if not tokens:
            table.add_row(holder, "none")
    console.print(table)
    return ExitCode.YES


@app.command()
def contact(
    name: OwnerArgument,
    contact: Annotated[str, typer.Argument(help="How to reach the owner from now on.")],
    data: ServerDataOption = None,
) -> int:
    """Change how an owner is reached."""
    with_store(data, lambda store: store.owners.change_contact(name, contact))
    return ExitCode.YES


@app.command()
def remove(name: OwnerArgument, data: ServerDataOption = None) -> int:
    """Remove an owner without bots, and revoke the owner's tokens.

    An owner with bots cannot be removed, because recorded games bear the bots' names. Revoke the bots' tokens instead.
    """
    with_store(data, lambda store: store.owners.remove(name))
    return ExitCode.YES


def _owner_as_dict(owner: "OwnerRow") -> dict[str, Any]:
    return {
        "name": owner.name,
        "contact": owner.contact,
        "bot_limit": owner.bot_limit,
        "created_at": format_date(owner.created_at),
        "tokens": [token.handle for token in owner.tokens],
        "bots": [
            {
                "name": bot.name,
                "created_at": format_date(bot.created_at),
                "tokens": [token.handle for token in bot.tokens],
            }
            for bot in owner.bots
        ],
    }
