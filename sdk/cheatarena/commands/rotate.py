"""`python -m cheatarena rotate NAME` replaces a token by a new one, in the credentials file too."""

import argparse
from datetime import timedelta
from typing import Final

from cheatarena.commands.arguments import ONLY_SERVER, Commands, add_command, add_server
from cheatarena.commands.own_server import call_as_owner, open_credentials
from cheatarena.errors import RequestError
from cheatarena.plurals import format_count

_MOST_HOURS: Final = 720


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "rotate",
        _run,
        summary="replace a token by a new one, and keep it in the credentials file",
        description="Bots that run change over by themselves.",
    )
    told = "a bot of yours, yourself, or the handle of a token"
    parser.add_argument("name", metavar="NAME-OR-HANDLE", help=told)
    told = f"hours for which the old token stays valid, 0 to {_MOST_HOURS}. Default: 24"
    parser.add_argument("--overlap", type=float, default=24.0, metavar="HOURS", help=told)
    add_server(parser, default=ONLY_SERVER)


def rotate(name: str, overlap_hours: float, address: str) -> str:
    """Replace a token, keep the new one in the credentials file, and return a sentence that says so.

    Return the new token of a CI instead: it belongs into the secrets of the CI, not into the file. Raises RequestError
    for an overlap out of range, SettingsError if the file cannot be used, and the errors of `AccountClient`.
    """
    if not 0 <= overlap_hours <= _MOST_HOURS:
        raise RequestError(f"--overlap {overlap_hours:g}: expected 0 to {_MOST_HOURS} hours")
    file, address = open_credentials(address)
    file.save()
    overlap = timedelta(hours=overlap_hours)
    holder, token, scopes = call_as_owner(file, address, lambda client: client.rotate_token(name, overlap))
    if "submit" in scopes:
        return token
    if "own" in scopes:
        file.keep_owner_token(address, token)
    else:
        file.keep_bot(address, holder, token)
    valid = format_count(overlap_hours, "more hour")
    return f"the new token of {holder} is in {file.path}; the old one is valid for {valid}"


def _run(asked: argparse.Namespace) -> None:
    print(rotate(asked.name, asked.overlap, asked.server))
