"""The options that say where a server listens, and by which address and certificate bots reach it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena.cli.option_groups import field_texts
from arena.server.config.server_config import ServerConfig

_TEXTS: Final = field_texts(ServerConfig)
_DEFAULTS: Final = {each.name: each.default for each in fields(ServerConfig)}


def setting_option(name: str, *flags: str, metavar: str | None = None) -> Any:
    """Return the option of a setting: its help is the text below the setting in `ServerConfig`, with the default."""
    text, default = _TEXTS[name], _DEFAULTS[name]
    if isinstance(default, tuple):
        text += " Repeatable."
    elif not isinstance(default, bool) and default not in (None, ""):
        text += f" Default: {default:g}." if isinstance(default, float) else f" Default: {default}."
    return typer.Option(*flags, metavar=metavar, help=text)


@dataclass(frozen=True, slots=True)
class ListeningFlags:
    """Settings from the command line, with the names that they have in `ServerConfig`; None if not given."""

    listen: Annotated[list[str] | None, setting_option("listen", metavar="HOST:PORT")] = None
    public_address: Annotated[str | None, setting_option("public_address", metavar="HOST:PORT")] = None
    tls_cert: Annotated[Path | None, setting_option("tls_cert")] = None
    tls_key: Annotated[Path | None, setting_option("tls_key")] = None
    tls_client_ca: Annotated[Path | None, setting_option("tls_client_ca")] = None
    tls_on_loopback: Annotated[bool | None, setting_option("tls_on_loopback", "--tls-on-loopback")] = None
    plaintext_behind_proxy: Annotated[list[str] | None, setting_option("plaintext_behind_proxy", metavar="ADDRESS")] = (
        None
    )

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
