"""The options that say where a server listens, and by which address and certificate bots reach it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True)
class ListeningFlags:
    """Settings from the command line, with the names that they have in `ServerConfig`; None if not given."""

    listen: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Address to listen on instead of one host and port; repeatable, IPv6 as [::]:7777. unix:PATH is a Unix"
            " socket in addition, for bots in boxes.",
        ),
    ] = None
    public_address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Address at which bots reach the server. Default: the first it listens on."
        ),
    ] = None
    tls_cert: Annotated[
        Path | None, typer.Option(help="Certificate in PEM. It is read anew when it changes. Needed off loopback.")
    ] = None
    tls_key: Annotated[Path | None, typer.Option(help="Private key of the certificate, in PEM.")] = None
    tls_client_ca: Annotated[
        Path | None, typer.Option(help="Authority of client certificates. Default: clients need none.")
    ] = None
    tls_on_loopback: Annotated[
        bool | None, typer.Option("--tls-on-loopback", help="Speak TLS on loopback addresses too.")
    ] = None
    plaintext_behind_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="Speak plaintext off loopback, to the proxy with this address or network only; repeatable.",
        ),
    ] = None

    def words(self) -> Sequence[str]:
        """Return the given options as words of a command line."""
        words: list[str] = []
        for name, value in asdict(self).items():
            option = f"--{name.replace('_', '-')}"
            if value is True:
                words.append(option)
            elif value:
                values = value if isinstance(value, list) else [value]
                words += [word for each in values for word in (option, str(each))]
        return words
