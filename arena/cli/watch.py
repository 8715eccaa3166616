"""`arena watch`: follows a match on a server as a spectator."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from arena.match.ports import MatchId
    from cheatarena.settings import Settings
    from cheatarena.tls_settings import TlsSettings

app = typer.Typer(rich_markup_mode="markdown")

_LOOK_S: Final = 1.0
"""Seconds between two looks at a pool in which no new match runs."""


@app.command()
def watch(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="Id of a running match.")] = "",
    pool: Annotated[
        str, typer.Option(metavar="NAME", help="Watch one running match of this pool after the other, until Ctrl-C.")
    ] = "",
    server: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The server, as host:port. Default: CHEATARENA_ADDRESS.")
    ] = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with a token that has the scope `spectate`. Default: CHEATARENA_TOKEN, or else ARENA_TOKEN.",
        ),
    ] = None,
) -> int:
    """Watch a running match, or those of a pool, as spectators see them: no hidden cards, no answers before they count.

    On a terminal, the table is drawn in place; otherwise each move is one line. Ends when the match is over. If the
    connection is lost, watching continues where it was. A match that is over: `arena replay show MATCH`.
    """
    import asyncio

    from arena.cli.match_watcher import open_screen, watch_match, watch_matches
    from arena.cli.signals import run_until_stopped
    from arena.errors import OptionError
    from arena.games.catalogue import load_codecs
    from arena.match.ports import MatchId
    from arena.rpc.watch_client import WatchClient
    from cheatarena.settings import Settings

    if bool(match) == bool(pool):
        raise OptionError("pool", pool, "name either a match or, with --pool, a pool")
    address, token, tls = _read_access(server, token_file)
    settings = Settings(address, token, ca=tls.ca, certificate=tls.certificate, key=tls.key)

    async def work() -> None:
        async with WatchClient(address, token, load_codecs(), tls) as client:
            if pool:
                await watch_matches(client, _find_matches(settings, pool), open_screen)
            else:
                await watch_match(client, MatchId(match.strip().upper()), open_screen)

    asyncio.run(run_until_stopped(work(), lambda: "the match goes on"))
    return ExitCode.YES


async def _find_matches(settings: "Settings", pool: str) -> "AsyncIterator[MatchId]":
    """Yield the newest running match of a pool that was not yielded before, whenever the next one is asked for.

    Raises the SDK's errors.
    """
    import asyncio

    from arena.cli.console import print_status
    from arena.match.ports import MatchId
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


def _read_access(server: str, token_file: Path | None) -> "tuple[str, str, TlsSettings]":
    """Return the address, the token and the TLS settings, from the options or else from the environment.

    Raises OptionError for a bad address, RequestError if there is none, and DeniedError if there is no token.
    """
    import os
    from dataclasses import replace

    from arena.errors import DeniedError, RequestError
    from arena.rpc.listeners import split_address
    from cheatarena.credentials import find_authority
    from cheatarena.tls_settings import TlsSettings

    address = server or os.environ.get("CHEATARENA_ADDRESS", "")
    if not address:
        raise RequestError("no server is named: use --server, or set CHEATARENA_ADDRESS to host:port")
    split_address("server", address)
    token = os.environ.get("CHEATARENA_TOKEN") or os.environ.get("ARENA_TOKEN", "")
    if token_file is not None:
        token = _read_token(token_file)
    if not token:
        raise DeniedError("there is no token: use --token-file, or set CHEATARENA_TOKEN; it needs the scope spectate")
    return address, token, replace(TlsSettings.from_environment(), ca=find_authority(address))


def _read_token(path: Path) -> str:
    """Return the token in a file. Raises RequestError if the file cannot be read or is empty."""
    from arena.errors import RequestError

    try:
        token = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise RequestError(f"--token-file {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"--token-file {path} cannot be read: it is no text") from error
    if not token:
        raise RequestError(f"--token-file {path} is empty")
    return token
