"""`arena join`: redeems an invitation and writes the credentials file, which bots and commands read."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.present import present

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
) -> None:
    """The file is CHEATARENA_CREDENTIALS, or else `~/.config/cheatarena/credentials.json`. Only you can read it. Bots
    that use the SDK find address and token there, so they need no other setting. If a name is refused, the code stays
    valid.

    Where only the SDK is installed, `python -m cheatarena join` does the same, and `python -m cheatarena` has the other
    commands of authors.
    """
    from arena.server.rpc.listeners import split_address
    from cheatarena.join import join as join_server

    split_address("address", address)
    joined = asyncio.run(join_server(address, code, owner=owner, contact=contact, bots=bot, ca=ca))
    plain = {"address": address, "owner": joined.owner, "bots": joined.bots, "file": str(joined.file)}
    present(plain, json, [f"joined {address} as {joined.owner}; bots: {', '.join(joined.bots) or 'none yet'}"])
    if not json:
        print_status(f"The tokens are in {joined.file}, where bots that use the SDK find them.")
    if not json and len(joined.bots) > 1:
        print_status("Set CHEATARENA_BOT to the name of the bot that a program plays.")
