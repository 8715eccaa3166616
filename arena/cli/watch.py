"""`arena watch`: follows a match on a server as a spectator."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.console import print_status
from arena.cli.signals import run_until_stopped
from arena.errors import OptionError, RequestError
from arena.match.referee.ports import MatchId
from arena.text_files import decode_text

if TYPE_CHECKING:
    from cheatarena.settings import Settings

app = typer.Typer(rich_markup_mode="markdown")

_LOOK_S: Final = 0.3
"""Seconds between two looks at a pool in which no new match runs: less than the shortest match takes."""


@app.command()
def watch(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of a running match.")] = "",
    pool: Annotated[
        str, typer.Option(metavar="NAME", help="Watch one running match of this pool after the other, until Ctrl-C.")
    ] = "",
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The server, as host:port. Default: CHEATARENA_ADDRESS, or the only server in the credentials file.",
        ),
    ] = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with a token: any for a match of a pool, with the scope `spectate` for others. Default: "
            "CHEATARENA_TOKEN, ARENA_TOKEN, or the owner's token in the credentials file.",
        ),
    ] = None,
) -> None:
    """On a terminal, the table is drawn in place; otherwise each move is one line. Ends when the match is over. If the
    connection is lost, watching continues where it was. A match that is over: `arena replay show MATCH`.
    """
    from arena.cli.match_watcher import open_screen, watch_match, watch_matches
    from arena.games.catalogue import load_codecs
    from arena.server.rpc.watch_client import WatchClient

    if bool(match) == bool(pool):
        raise OptionError("pool", pool, "name either a match or, with --pool, a pool")
    settings = _read_settings(server, token_file)

    async def work() -> None:
        async with WatchClient(settings.address, settings.read_token(), load_codecs(), settings.tls) as client:
            if pool:
                await watch_matches(client, _find_matches(settings, pool), open_screen)
            else:
                await watch_match(client, MatchId(match.strip().upper()), open_screen)

    asyncio.run(run_until_stopped(work(), lambda: "the match goes on"))


async def _find_matches(settings: "Settings", pool: str) -> AsyncIterator[MatchId]:
    """Yield the newest running match of a pool that was not yielded before, whenever the next one is asked for.

    Raises the SDK's errors.
    """
    from cheatarena.pool_client import PoolClient

    seen, is_told = set[str](), False
    async with PoolClient(settings) as client:
        while True:
            found, _ = await client.pool(pool)
            new = next((each for each in found.running_match_ids if each not in seen), None)
            seen &= {*found.running_match_ids}
            if new is not None:
                seen.add(new)
                is_told = False
                yield MatchId(new)
                continue
            if not is_told:
                print_status(f"no match of {pool} runs now: waiting for the next one")
                is_told = True
            await asyncio.sleep(_LOOK_S)


def _read_settings(server: str, token_file: Path | None) -> "Settings":
    """Return how to call the server: with the token in a file, or else with any token of the user.

    Raises RequestError if there is no token, or if the file cannot be read, and SettingsError for a bad address.
    """
    from cheatarena.commands.own_server import any_settings
    from cheatarena.errors import SettingsError
    from cheatarena.settings import Settings

    if token_file is None:
        try:
            return any_settings(server)
        except SettingsError as error:
            if os.environ.get("CHEATARENA_TOKEN") or os.environ.get("ARENA_TOKEN"):
                raise
            ways = "use --token-file, set CHEATARENA_TOKEN, or join a server with `arena join`"
            raise RequestError(f"there is no token: {ways} ({error})") from error
    given = {**os.environ, "CHEATARENA_TOKEN": _read_token(token_file)}
    return Settings.from_environment(given | {"CHEATARENA_ADDRESS": server} if server else given)


def _read_token(path: Path) -> str:
    """Return the token in a file. Raises RequestError if the file cannot be read, is not in UTF-8 or is empty."""
    from cheatarena.tokens import strip_copied

    try:
        token = strip_copied(decode_text(path.read_bytes(), str(path)))
    except OSError as error:
        raise RequestError(f"--token-file {path} cannot be read: {error.strerror}") from error
    if not token:
        raise RequestError(f"--token-file {path} is empty")
    return token
