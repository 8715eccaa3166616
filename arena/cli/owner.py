"""`arena owner`: adds, lists and changes the owners of bots, even while a server runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.options import JsonOption
from arena.cli.present import present, present_rows
from arena.cli.store_access import ServerDataOption, plain_fields, token_lines, with_known_store, with_store
from arena.plurals import format_count
from arena.server.store.account_values import BanRow, BotRow, OwnerRow

if TYPE_CHECKING:
    from arena.server.store.open_store import Store

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)

OwnerArgument = Annotated[str, typer.Argument(help="Name of the owner.")]


@app.command()
def add(
    name: OwnerArgument,
    contact: Annotated[str, typer.Option(help="How to reach the owner, such as a mail address.")] = "",
    bots: Annotated[int, typer.Option(help="Bots that the owner may create without asking.")] = 4,
    data: ServerDataOption = None,
) -> None:
    """Add an owner. `arena invite create --owner NAME` then lets the author join."""
    print(with_store(data, lambda store: store.owners.add(name, contact, bots)))


@app.command("list")
def list_(data: ServerDataOption = None, json: JsonOption = False) -> None:
    """List owners with their bots, and why an owner is banned."""

    async def read(store: "Store") -> tuple[Sequence[OwnerRow], Mapping[str, str]]:
        return await store.owners.list(), await store.bans.reasons()

    owners, banned = with_store(data, read)
    bots = {"bots": lambda row: [bot["name"] for bot in row["bots"]]}
    present_rows(
        [_owner_as_dict(owner) | {"banned": banned.get(owner.name)} for owner in owners],
        json,
        {"owner": "name", "contact": "contact", **bots, "made": "created_at", "banned": "banned"},
    )


@app.command()
def show(name: OwnerArgument, data: ServerDataOption = None, json: JsonOption = False) -> None:
    """Show an owner, and the owner's bots with their valid tokens."""

    async def read(store: "Store") -> tuple[OwnerRow, Sequence[BanRow]]:
        return await store.owners.get(name), await store.bans.list_of(name)

    owner, bans = with_store(data, read)
    plain_bans = [plain_fields(ban, "because", "banned_at", "lifted_at") for ban in bans]
    present(_owner_as_dict(owner) | {"bans": plain_bans}, json, _owner_lines(owner, plain_bans))


@app.command()
def contact(
    name: OwnerArgument,
    contact: Annotated[str, typer.Argument(help="How to reach the owner from now on.")],
    data: ServerDataOption = None,
) -> None:
    """Change how an owner is reached."""
    with_store(data, lambda store: store.owners.change_contact(name, contact))


@app.command()
def ban(
    name: OwnerArgument,
    because: Annotated[str, typer.Option(metavar="TEXT", help="Why. The owner is told, and it is kept.")],
    data: ServerDataOption = None,
) -> None:
    """Keep an owner out. A server that runs notices it within a second.

    The owner's connections and submitted bots end, and no token, page, upload or invitation of the owner is taken.
    Games that have begun go on without the bots. `unban` gives everything back as it was.
    """
    with_known_store(data, lambda store: store.bans.ban(name, because))


@app.command()
def unban(name: OwnerArgument, data: ServerDataOption = None) -> None:
    """Lift the ban of an owner. Tokens are valid again, and submitted versions that were active play again."""
    with_known_store(data, lambda store: store.bans.lift(name))


@app.command()
def remove(name: OwnerArgument, data: ServerDataOption = None) -> None:
    """Remove an owner without bots, and revoke the owner's tokens.

    An owner with bots cannot be removed, because recorded games bear the bots' names. Revoke the bots' tokens instead.
    """
    with_store(data, lambda store: store.owners.remove(name))


def _owner_lines(owner: OwnerRow, bans: Sequence[Mapping[str, Any]]) -> Iterator[object]:
    yield f"{owner.name}   {owner.contact}   {len(owner.bots)} of {format_count(owner.bot_limit, 'bot')}"
    yield from token_lines({f"({owner.name})": owner.tokens} | {bot.name: bot.tokens for bot in owner.bots})
    for ban in bans:
        lasted = f"from {ban['banned_at']} to {ban['lifted_at']}" if ban["lifted_at"] else f"since {ban['banned_at']}"
        yield f"banned {lasted}: {ban['because']}"


def _owner_as_dict(owner: OwnerRow) -> dict[str, Any]:
    return _holder_as_dict(owner, "contact", "bot_limit") | {"bots": [_holder_as_dict(bot) for bot in owner.bots]}


def _holder_as_dict(row: OwnerRow | BotRow, *names: str) -> dict[str, Any]:
    return plain_fields(row, "name", *names, "created_at") | {"tokens": [token.handle for token in row.tokens]}
