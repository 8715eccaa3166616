"""`arena health`: says whether a server is serving, for health checks of containers and monitors."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.errors import EnvironmentFaultError

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def health(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Address of the server.")],
    ca: Annotated[
        Path | None,
        typer.Option(help="Authority of the server's certificate. Default: CHEATARENA_CA, or else the public ones."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for the answer.")] = 3.0,
) -> int:
    """Needs no token. Exits with 0 if the server is serving, and with 1 if it is not serving or does not answer.
    Connects as bots do: without TLS on this machine, with TLS elsewhere.
    """
    from arena.server.rpc.health_service import is_serving
    from arena.server.rpc.listeners import split_address
    from cheatarena.tls_settings import TlsSettings

    split_address("address", address)
    tls = TlsSettings.from_environment()
    tls = tls if ca is None else replace(tls, ca=ca)
    try:
        answer = asyncio.run(is_serving(address, tls, timeout))
    except EnvironmentFaultError as error:
        hint = "; --ca stands for CHEATARENA_CA" if "CHEATARENA_CA" in str(error) else ""
        print_status(f"arena: {error}{hint}")
        return ExitCode.NO
    print(f"{address} is serving" if answer else f"{address} is not serving: it starts, stops or cannot store results")
    return ExitCode.YES if answer else ExitCode.NO
