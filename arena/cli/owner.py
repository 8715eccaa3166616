"""`arena owner`: adds, lists, changes and forgets the owners of bots; all but renaming even while a server runs."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from arena.cli.options import JsonOption
from arena.cli.present import present, present_rows, print_lines
from arena.cli.store_access import (
    ServerDataOption,
    data_folder,
    plain_fields,
    token_lines,
    with_known_store,
    with_store,
)
from arena.plurals import format_count
from arena.server.store.account_values import BanRow, BotRow, OwnerRow

if TYPE_CHECKING:
    from arena.server.store.open_store import Store
    from arena.server.store.personal_data import SealedTraces

T = TypeVar("T")

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


@app.command("clear-profile")
def clear_profile(bot: Annotated[str, typer.Argument(help="Name of the bot.")], data: ServerDataOption = None) -> None:
    """Remove what an owner says of a bot on the web pages. The owner may say something else."""
    with_known_store(data, lambda store: store.profiles.clear(bot))


@app.command()
def ban(
    name: OwnerArgument,
    because: Annotated[str, typer.Option(metavar="TEXT", help="Why. The owner is told, and it is kept.")],
    data: ServerDataOption = None,
) -> None:
    """Keep an owner out. A server that runs notices it within a second.

    The owner's connections and submitted bots end, no token, page, upload or invitation of the owner is taken, and no
    profile of the owner's bots is shown. Games that have begun go on without the bots. `unban` gives everything back as
    it was.
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


@app.command()
def export(
    name: OwnerArgument,
    to: Annotated[Path, typer.Option(metavar="FILE.zip", help="A new file, which only you may read.")],
    data: ServerDataOption = None,
) -> None:
    """Write everything that is stored about an owner and the owner's bots: all rows as JSON, and the packages.

    Secrets are not stored, so there are none. `arena replay export` writes the games of a match.
    """
    from arena.server.intake.owner_export import write_export

    async def write(store: "Store") -> tuple[Mapping[str, Any], int]:
        rows = await store.personal.export(name)
        return rows, write_export(store, rows, to)

    rows, packages = with_known_store(data, write)
    matches = format_count(len(rows["match"]), "match")
    print(f"{to}: {name}, with {format_count(len(rows['bot']), 'bot')}, {matches}, {format_count(packages, 'package')}")


@app.command()
def rename(
    name: OwnerArgument,
    new: Annotated[str, typer.Argument(help="The owner's name from now on.")],
    data: ServerDataOption = None,
) -> None:
    """Give an owner another name, and say what keeps the old one. The bots keep their names.

    No server may use the data folder meanwhile. The owner's tokens stay valid.
    """
    traces = _with_held_store(data, lambda store: store.personal.rename(name, new))
    print_lines([f"{name} is {new} now; the bots keep their names", *_trace_lines(traces)])


@app.command()
def forget(name: OwnerArgument, data: ServerDataOption = None) -> None:
    """Replace an owner's name by a pseudonym for ever, and say what keeps the old one.

    Tokens are revoked, versions withdrawn, and contact, logs, uploads, packages, what was built of them, sessions and
    bots that never played deleted. Bots that played keep their names, which journals and receipts bind. No server may
    use the data folder meanwhile. If the command is interrupted, run it again.
    """
    from arena.fleet.submissions.forgotten_files import discard_files
    from arena.server.store.personal_data import make_pseudonym

    async def forget_all(store: "Store") -> "tuple[str, SealedTraces]":
        await discard_files(store, await store.personal.shut_out(name))
        return await store.personal.forget(name, make_pseudonym(os.urandom))

    pseudonym, traces = _with_held_store(data, forget_all)
    print_lines([f"{name} is {pseudonym} now, and can do nothing any more", *_trace_lines(traces)])


def _with_held_store(data: Path | None, act: "Callable[[Store], Coroutine[Any, Any, T]]") -> T:
    """Run an operation on a store that no server uses. Raises RequestError if there is none, StoreLockedError."""
    from arena.server.store.data_folder import acquire_folder_lock, require_store
    from arena.server.store.open_store import open_store

    async def work() -> T:
        with acquire_folder_lock(folder) as held:
            async with await open_store(folder, held) as store:
                return await act(store)

    folder = data_folder(data)
    require_store(folder)
    return asyncio.run(work())


def _trace_lines(traces: "SealedTraces") -> Iterator[str]:
    """Say what keeps the old names, because it is sealed or out of reach."""
    if traces.bots:
        matches = format_count(traces.match_count, "match")
        yield f"sealed, so unchanged: {matches} of {', '.join(traces.bots)}; journals and receipts bind these names"
    if traces.leagues:
        yield f"sealed, so unchanged: what leagues say of the owner and the bots: {', '.join(traces.leagues)}"
    yield "out of reach: published reports and replays, backups, and the server's own log"


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
