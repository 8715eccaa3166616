"""`arena login`: gets a code with which an owner logs in to the web pages of a server."""

from typing import Annotated

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def login(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Server. Default: the only one in the credentials file.")
    ] = "",
    json: JsonOption = False,
) -> int:
    """Get a code to log in to the web pages of a server that you have joined (see `arena join`).

    The code is valid for ten minutes and works once.
    """
    from arena.bots.launch.output import sanitize_for_terminal
    from arena.cli.author import call_as_owner, open_credentials
    from arena.cli.console import print_json, print_status
    from arena.cli.store_access import format_date

    file, server = open_credentials(address)
    made = call_as_owner(file, server, lambda client: client.create_login_code())
    if json:
        print_json({"code": made.code, "url": made.web_url, "expires_at": format_date(made.expires_at)})
        return ExitCode.YES
    print(sanitize_for_terminal(made.code))
    page = sanitize_for_terminal(made.web_url) or "the web pages of the server (the organizer knows their address)"
    print_status(f"Open {page} and enter this code. It works once, within ten minutes.")
    return ExitCode.YES
