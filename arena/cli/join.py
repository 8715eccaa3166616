"""`arena join`: redeems an invitation and writes the credentials file, which bots and commands read."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption

if TYPE_CHECKING:
    from arena.cli.author_account import CredentialsFile
    from arena.rpc.account_client import JoinedAccount
    from cheatarena.settings import Settings

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def join(
    address: Annotated[str, typer.Argument(help="HOST:PORT of the server.")],
    code: Annotated[str, typer.Argument(help="The code of the invitation; it works once.")],
    owner: Annotated[str, typer.Option(help="Your name on the server. Default: asked for, or as invited.")] = "",
    contact: Annotated[str, typer.Option(help="How the organizer reaches you, such as a mail address.")] = "",
    bot: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Name of a bot of yours; repeatable. Default: asked for.")
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(help="Authority of the server's certificate in PEM. Default: CHEATARENA_CA, or a public one."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Join a server with an invitation, and keep the tokens in the credentials file.

    The file is CHEATARENA_CREDENTIALS, or else `~/.config/cheatarena/credentials.json`. Only you can read it. Bots that
    use the SDK find address and token there, so they need no other setting. If a name is refused, the code stays valid.
    """
    from arena.cli.author_account import CredentialsFile, connection_settings
    from arena.cli.console import print_json
    from arena.rpc.listeners import split_address
    from cheatarena.credentials import ServerCredentials

    split_address("address", address)
    file = CredentialsFile.open()
    known = file.servers.get(address)
    owner = _choose_owner(file, address, owner)
    bots = bot if bot is not None else _ask_for_bots()
    settings = connection_settings(address, code, _absolute(ca))
    file.save()
    joined = asyncio.run(_redeem(settings, code, owner, contact, bots))
    earlier = {} if known is None else known.bots
    file.servers[address] = ServerCredentials(
        joined.owner, joined.owner_token, {**earlier, **joined.bots}, _absolute(settings.ca)
    )
    file.save()
    if json:
        print_json({"address": address, "owner": joined.owner, "bots": list(joined.bots), "file": str(file.path)})
    else:
        _show(address, joined, file.path)
    return ExitCode.YES


def _choose_owner(file: "CredentialsFile", address: str, asked: str) -> str:
    """Return the owner to join as. Raises OptionError if the file has another owner for this server."""
    from arena.errors import OptionError

    known = file.servers.get(address)
    if known is None:
        if not asked and sys.stdin.isatty():
            asked = str(typer.prompt("Your name (empty: as invited)", default="", show_default=False, err=True))
        return asked
    if asked and asked != known.owner:
        allowed = f"{file.path} has the owner {known.owner!r} there; set CHEATARENA_CREDENTIALS to use another file"
        raise OptionError("owner", asked, allowed)
    return known.owner


def _ask_for_bots() -> list[str]:
    """Ask for the names of bots if somebody can answer."""
    if not sys.stdin.isatty():
        return []
    answer = str(typer.prompt("Names of your bots, separated by commas", err=True))
    return [name.strip() for name in answer.split(",") if name.strip()]


def _absolute(path: Path | None) -> Path | None:
    """Return a path that is valid in any working directory."""
    return None if path is None else Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  links stay links


async def _redeem(settings: "Settings", code: str, owner: str, contact: str, bots: Sequence[str]) -> "JoinedAccount":
    from arena.rpc.account_client import AccountClient

    async with AccountClient(settings) as client:
        return await client.join(code, owner, contact, bots)


def _show(address: str, joined: "JoinedAccount", path: Path) -> None:
    from arena.cli.console import print_status

    print(f"joined {address} as {joined.owner}; bots: {', '.join(joined.bots) or 'none yet'}")
    print_status(f"The tokens are in {path}, where bots that use the SDK find them.")
    if len(joined.bots) > 1:
        print_status("Set CHEATARENA_BOT to the name of the bot that a program plays.")
