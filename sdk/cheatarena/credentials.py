"""The credentials file: the tokens of an author's bots, by server. `python -m cheatarena join` writes it.

::

    {
      "format": "cheatarena-credentials-1",
      "servers": {
        "arena.example.org:443": {
          "ca": "/home/ann/ca.pem",
          "owner": "ann",
          "owner_token": "cat_…",
          "bots": {"counter": "cat_…"}
        }
      }
    }

`ca` is the file with the authority of the server's certificate. It is left out if this is a public authority. `owner`
is the author's name on the server. Only the user who owns the credentials file may read it.
"""

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cheatarena.errors import SettingsError
from cheatarena.tokens import strip_copied

FORMAT: Final = "cheatarena-credentials-1"
PATH_VARIABLE: Final = "CHEATARENA_CREDENTIALS"


@dataclass(frozen=True, slots=True)
class ServerCredentials:
    """An author's name and tokens on one server."""

    owner: str
    owner_token: str = field(repr=False)
    """The token with which the author manages bots and their tokens. No bot can play with it."""
    bots: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The token of each bot."""
    ca: Path | None = None
    """File with the authority of the server's certificate; None if it is a public authority."""


@dataclass(frozen=True, slots=True)
class BotCredentials:
    """Where one bot plays, and with which token: its own or, to read its matches alone, its owner's."""

    file: Path
    address: str
    bot: str
    """Empty with the owner's token: the owner's only bot."""
    token: str = field(repr=False)
    ca: Path | None

    def read_token(self) -> str:
        """Return the bot's current token. `python -m cheatarena rotate` may have replaced the token in the file."""
        try:
            return read_credentials(self.file)[self.address].bots[self.bot]
        except (SettingsError, KeyError):
            return self.token


def find_credentials_file(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the path of the credentials file; None if no home folder is known. The file may not exist yet.

    If CHEATARENA_CREDENTIALS is set, it is the path. Otherwise the path is `cheatarena/credentials.json` in
    XDG_CONFIG_HOME or, if that is not set, in ~/.config.
    """
    if named := environ.get(PATH_VARIABLE):
        return Path(named)
    if folder := environ.get("XDG_CONFIG_HOME"):
        return Path(folder, "cheatarena", "credentials.json")
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home, ".config", "cheatarena", "credentials.json") if home else None


def read_credentials(path: Path) -> dict[str, ServerCredentials]:
    """Return the credentials for each server. The result is empty if there is no file.

    Raises SettingsError if the file cannot be read, if other users can read it, or if it is not a credentials file.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & 0o077:
                raise SettingsError(f"{path} can be read by others, so its tokens are not secret: run chmod 600 {path}")
            content = file.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    try:
        values = json.loads(content)
        if values["format"] != FORMAT:
            raise SettingsError(f"{path} was written by another version: expected the format {FORMAT}")
        return {str(address): _read_server(entry) for address, entry in values["servers"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} is not a credentials file as `python -m cheatarena join` writes it") from error


def write_credentials(path: Path, servers: Mapping[str, ServerCredentials]) -> None:
    """Replace the file in one step, so that it is never half written. Create its folder if needed.

    Only this user may read the file. Raises SettingsError if the file cannot be written.
    """
    text = json.dumps({"format": FORMAT, "servers": {each: _plain(servers[each]) for each in servers}}, indent=2)
    temporary = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error


def find_authority(address: str, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file with the authority of a server's certificate; None if it is a public authority.

    If CHEATARENA_CA is set, it names the file. Otherwise the credentials file does. Raises SettingsError if the
    credentials file cannot be used.
    """
    if named := strip_copied(environ.get("CHEATARENA_CA", "")):
        return Path(named)
    path = find_credentials_file(environ)
    known = None if path is None else read_credentials(path).get(address)
    return None if known is None else known.ca


def choose_credentials(environ: Mapping[str, str], *, only_reads: bool = False) -> BotCredentials | None:
    """Return the credentials of the bot that is to play; None if there is no file.

    If the file has several servers or bots, CHEATARENA_ADDRESS and CHEATARENA_BOT select one. With `only_reads`, the
    owner's token stands in for that of a bot that the file lacks. Raises SettingsError if not exactly one bot is
    selected.
    """
    path = find_credentials_file(environ)
    if path is None or not (path.exists() or environ.get(PATH_VARIABLE)):
        return None
    servers = read_credentials(path)
    if not servers:
        raise SettingsError(f"{path} names no server: run `python -m cheatarena join`, or set CHEATARENA_TOKEN")
    address = _choose("server", "CHEATARENA_ADDRESS", environ.get("CHEATARENA_ADDRESS", ""), servers, path)
    server = servers[address]
    asked = environ.get("CHEATARENA_BOT", "")
    is_missing = asked not in server.bots if asked else not server.bots
    if is_missing and only_reads:
        return BotCredentials(path, address, asked, server.owner_token, server.ca)
    adding = f"; `python -m cheatarena create {shlex.quote(asked) if asked else 'NAME'}` adds one"
    bot = _choose(f"bot at {address}", "CHEATARENA_BOT", asked, server.bots, path, adding)
    return BotCredentials(path, address, bot, server.bots[bot], server.ca)


def _choose(kind: str, variable: str, asked: str, known: Mapping[str, object], path: Path, remedy: str = "") -> str:
    """Return the requested key of `known`. If no key was requested, return the only one.

    Raises SettingsError, with the `remedy` if there is no such key.
    """
    if asked in known:
        return asked
    names = ", ".join(known) or "none"
    if asked or not known:
        raise SettingsError(f"{path} has no {kind}{f' named {asked!r}' if asked else ''}: it has {names}{remedy}")
    if len(known) > 1:
        raise SettingsError(f"{path} leaves open which {kind} to use: set {variable} to one of {names}")
    return next(iter(known))


def _read_server(entry: Mapping[str, Any]) -> ServerCredentials:
    bots = {str(name): strip_copied(_text(token)) for name, token in entry["bots"].items()}
    ca = entry.get("ca")
    return ServerCredentials(
        _text(entry["owner"]), strip_copied(_text(entry["owner_token"])), bots, None if ca is None else Path(_text(ca))
    )


def _text(value: object) -> str:
    """Return the value if it is a text. Raises TypeError if it is not."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _plain(server: ServerCredentials) -> dict[str, object]:
    ca = {} if server.ca is None else {"ca": str(server.ca)}
    return ca | {"owner": server.owner, "owner_token": server.owner_token, "bots": dict(server.bots)}
