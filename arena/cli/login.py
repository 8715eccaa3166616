"""`arena login`: gets a code with which an owner logs in to the web pages of a server."""

from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.present import present
from arena.cli.store_access import format_date

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def login(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Server. Default: the only one in the credentials file.")
    ] = "",
    json: JsonOption = False,
) -> None:
    """The code is valid for ten minutes and works once."""
    from arena.cli.author import call_as_owner, open_credentials

    file, server = open_credentials(address)
    made = call_as_owner(file, server, lambda client: client.create_login_code())
    plain = {"code": made.code, "url": made.web_url, "expires_at": format_date(made.expires_at)}
    present(plain, json, [made.code])
    if not json:
        page = made.web_url or "the web pages of the server (the organizer knows their address)"
        print_status(f"Open {page} and enter this code. It works once, within ten minutes.")
