"""Joins a server with an invitation, and writes the credentials file that bots and commands read."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cheatarena.account import AccountClient
from cheatarena.addresses import split_address
from cheatarena.credentials import ServerCredentials
from cheatarena.credentials_file import CredentialsFile
from cheatarena.errors import SettingsError
from cheatarena.settings import Settings
from cheatarena.tokens import find_token_fault, strip_copied


@dataclass(frozen=True, slots=True)
class Joined:
    """An author's account on a server, and the file that holds its tokens."""

    address: str
    owner: str
    bots: Sequence[str]
    """Names of the bots that this invitation created."""
    file: Path


async def join(
    address: str,
    code: str,
    *,
    owner: str = "",
    contact: str = "",
    bots: Sequence[str] | None = None,
    ca: Path | None = None,
) -> Joined:
    """Redeem an invitation and keep the tokens in the credentials file.

    `address` is host:port. On a terminal, the user is asked for `owner` if it is empty, and for `bots` if it is None.
    `ca` is a file with the authority of the server's certificate. If `ca` is None, CHEATARENA_CA names the file. If
    this is not set either, the certificate must come from a public authority. If a name is refused, the code stays
    valid.

    Raises these errors:

    * SettingsError if the address is not HOST:PORT, or if the code, a name, a setting or the credentials file cannot
      be used;
    * RefusedError if the server refuses the code or a name;
    * TlsError if no secure connection can be made;
    * ServerGoneError if the server cannot be reached.
    """
    address, code = strip_copied(address), strip_copied(code)
    try:
        split_address(address)
    except ValueError as error:
        raise SettingsError(f"address: {error}") from error
    file = CredentialsFile.open()
    known = file.servers.get(address)
    owner = _choose_owner(owner, known, file.path)
    names = _ask_for_bots() if bots is None else bots
    _check_texts(code, owner, contact, names)
    settings = connection_settings(address, code, ca)
    file.save()
    async with AccountClient(settings) as client:
        joined = await client.join(code, owner, contact, names)
    earlier = {} if known is None else known.bots
    file.servers[address] = ServerCredentials(
        joined.owner, joined.owner_token, {**earlier, **joined.bots}, _absolute(settings.ca)
    )
    file.save()
    return Joined(address, joined.owner, tuple(joined.bots), file.path)


def _check_texts(code: str, owner: str, contact: str, bots: Sequence[str]) -> None:
    """Raise SettingsError for what no code or name is, such as bytes that are not UTF-8, which cannot be sent."""
    if find_token_fault(code):
        raise SettingsError("code: this is not the code of an invitation: copy it completely")
    for kind, text in (("owner", owner), ("contact", contact), *(("bot", bot) for bot in bots)):
        if not text.isprintable():
            raise SettingsError(f"{kind}: {text!r}: expected printable characters")


def connection_settings(address: str, credential: str, ca: Path | None) -> Settings:
    """Return settings for a connection. As for bots, CHEATARENA_CA, _CERT, _KEY and _INSECURE apply.

    Raises SettingsError for a bad setting.
    """
    environ = {**os.environ, "CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": credential}
    if ca is not None:
        environ["CHEATARENA_CA"] = str(_absolute(ca))
    return Settings.from_environment(environ)


def _choose_owner(asked: str, known: ServerCredentials | None, path: Path) -> str:
    """Return the owner's name to join with. Raises SettingsError if the file has another owner for this server."""
    if known is None:
        return asked or _ask("Your name (empty: as invited)")
    if asked and asked != known.owner:
        raise SettingsError(
            f"owner: {asked!r}: {path} has the owner {known.owner!r} there;"
            " set CHEATARENA_CREDENTIALS to use another file"
        )
    return known.owner


def _ask_for_bots() -> list[str]:
    return [name.strip() for name in _ask("Names of your bots, separated by commas").split(",") if name.strip()]


def _ask(question: str) -> str:
    """Ask the user a question and return the answer; empty if stdin is not a terminal."""
    if not sys.stdin.isatty():
        return ""
    print(f"{question}: ", end="", file=sys.stderr, flush=True)  # noqa: T201  stdout is for the result
    return sys.stdin.readline().strip()


def _absolute(path: Path | None) -> Path | None:
    """Return the path as an absolute path."""
    return None if path is None else Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  links stay links
