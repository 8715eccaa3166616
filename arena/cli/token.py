"""`arena token`: creates, lists and revokes access tokens, even while a server runs."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption

if TYPE_CHECKING:
    from arena.store.token_store import TokenRow, TokenStore

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True, help="Manage access tokens.")

T = TypeVar("T")
DataOption = Annotated[
    Path | None, typer.Option(help="Data folder of the server. Default: ARENA_DATA, or else arena-data.")
]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Owner of the token; a bot plays under this name.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(help="Permission: play, organize or spectate; repeatable. Default: play."),
    ] = None,
    ttl: Annotated[
        float | None, typer.Option(metavar="DAYS", help="Days that the token is valid. Default: forever.")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> int:
    """Create a token and show its secret, which cannot be shown again."""
    from arena.cli.console import print_json, print_status

    scopes = scope or ["play"]
    secret = _with_tokens(data, lambda tokens: tokens.create(name, scopes, _parse_ttl(ttl)))
    if json:
        print_json({"name": name, "scopes": scopes, "token": secret, "handle": secret[:12]})
    else:
        print(secret)
        print_status(
            "This token is not shown again. Bots read it from CHEATARENA_TOKEN, organizer's commands from ARENA_TOKEN."
        )
    return ExitCode.YES


@app.command("list")
def list_(
    everything: Annotated[
        bool, typer.Option("--all", help="Include tokens that were revoked or have expired.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> int:
    """List tokens without their secrets."""
    from arena.cli.console import print_json, stdout_console

    rows = _with_tokens(data, lambda tokens: tokens.list())
    rows = [row for row in rows if everything or _state_text(row).startswith("valid")]
    if json:
        print_json([_token_as_dict(row) for row in rows])
        return ExitCode.YES
    from rich.table import Table

    table = Table("handle", "name", "scopes", "made", "state")
    for row in rows:
        values = _token_as_dict(row)
        table.add_row(row.handle, row.name, ", ".join(values["scopes"]), values["created_at"], _state_text(row))
    stdout_console().print(table)
    return ExitCode.YES


@app.command()
def revoke(
    name: Annotated[
        str, typer.Argument(metavar="NAME-OR-HANDLE", help="A token's handle, or a name to revoke all its tokens.")
    ],
    data: DataOption = None,
    json: JsonOption = False,
) -> int:
    """Revoke tokens. Sessions that were opened with them end within a second."""
    from arena.cli.console import print_json

    handles = _with_tokens(data, lambda tokens: tokens.revoke(name))
    if json:
        print_json({"revoked": list(handles)})
    else:
        print(f"revoked: {', '.join(handles)}" if handles else "all these tokens had been revoked before")
    return ExitCode.YES


def _with_tokens(data: Path | None, act: "Callable[[TokenStore], Coroutine[Any, Any, T]]") -> T:
    """Open the token store of a data folder, run one operation on it and return the result."""
    from arena.config.read_config import read_config
    from arena.store.open_store import open_store
    from arena.telemetry import set_up_logging

    async def work() -> T:
        async with await open_store(read_config(flags={"data": data}).data) as store:
            return await act(store.tokens)

    set_up_logging("warning")
    return asyncio.run(work())


def _parse_ttl(ttl: float | None) -> timedelta | None:
    from arena.errors import OptionError

    try:
        return None if ttl is None else timedelta(days=ttl)
    except (OverflowError, ValueError) as error:
        raise OptionError("ttl", ttl, "expected fewer days: the date is beyond the calendar") from error


def _token_as_dict(row: "TokenRow") -> dict[str, Any]:
    return {
        "handle": row.handle,
        "name": row.name,
        "scopes": sorted(row.scopes),
        "created_at": _date_text(row.created_at),
        "expires_at": _date_text(row.expires_at),
        "revoked_at": _date_text(row.revoked_at),
        "state": _state_text(row),
    }


def _state_text(row: "TokenRow") -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at is None:
        return "valid"
    is_over = datetime.fromtimestamp(row.expires_at, UTC) <= datetime.now(UTC)
    return "expired" if is_over else f"valid until {_date_text(row.expires_at)}"


def _date_text(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")
