"""`python -m cheatarena revoke NAME` ends tokens of one's own on a server."""

import argparse

from cheatarena.commands.arguments import ONLY_SERVER, Commands, add_command, add_server
from cheatarena.commands.own_server import call_as_owner, open_credentials


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "revoke",
        _run,
        summary="revoke tokens of yours",
        description="Sessions that were opened with them end within a second.",
    )
    parser.add_argument("name", metavar="NAME-OR-HANDLE", help="a bot of yours, or the handle of a token")
    add_server(parser, default=ONLY_SERVER)


def revoke(name: str, address: str) -> str:
    """Revoke tokens, and return a sentence that lists their handles.

    Raises SettingsError if the credentials file cannot be used, and the errors of `AccountClient`.
    """
    handles = call_as_owner(*open_credentials(address), lambda client: client.revoke_token(name))
    return f"revoked: {', '.join(handles)}" if handles else "all these tokens had been revoked before"


def _run(asked: argparse.Namespace) -> None:
    print(revoke(asked.name, asked.server))
