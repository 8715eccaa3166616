"""`python -m cheatarena login` gets a code with which an owner logs in to the web pages of a server."""

import argparse

from cheatarena.account import LoginCode
from cheatarena.commands.arguments import ONLY_SERVER, Commands, add_command, add_json
from cheatarena.commands.output import Found, Line, format_date, present, tell
from cheatarena.commands.own_server import call_as_owner, open_credentials


def add(commands: Commands) -> None:
    """Add the command."""
    description = "The code is valid for ten minutes and works once."
    parser = add_command(
        commands, "login", _run, summary="get a code to log in to a server's web pages", description=description
    )
    told = f"HOST:PORT of the server. Default: {ONLY_SERVER}"
    parser.add_argument("address", metavar="ADDRESS", nargs="?", default="", help=told)
    add_json(parser)


def create_login_code(address: str) -> LoginCode:
    """Return a new code of the owner. Raises the errors of `AccountClient`, and SettingsError."""
    return call_as_owner(*open_credentials(address), lambda client: client.create_login_code())


def describe_login(made: LoginCode) -> Found:
    """Return a code with the page for it."""
    plain = {"code": made.code, "url": made.web_url, "expires_at": format_date(made.expires_at)}
    return Found(plain, [Line(made.code)])


def explain_login(made: LoginCode) -> str:
    """Return the sentence that says where to enter a code."""
    page = made.web_url or "the web pages of the server (the organizer knows their address)"
    return f"Open {page} and enter this code. It works once, within ten minutes."


def _run(asked: argparse.Namespace) -> None:
    made = create_login_code(asked.address)
    present(describe_login(made), asked.json)
    if not asked.json:
        tell(explain_login(made))
