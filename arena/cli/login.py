"""`arena login`: gets a code with which an owner logs in to the web pages of a server."""

from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.replay.text import present_found

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def login(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Server. Default: the only one in the credentials file.")
    ] = "",
    json: JsonOption = False,
) -> None:
    """The code is valid for ten minutes and works once."""
    from cheatarena.commands.login import create_login_code, describe_login, explain_login

    made = create_login_code(address)
    present_found(describe_login(made), json)
    if not json:
        print_status(explain_login(made))
