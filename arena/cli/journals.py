"""`arena journals`: lists the journals of a data folder, and packs those of old matches."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.bots.packages.rules import format_size
from arena.cli.options import JsonOption
from arena.cli.present import present, present_rows
from arena.cli.store_access import ServerDataOption, data_folder
from arena.errors import StoreLockedError
from arena.plain_data import to_plain
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.organizer.retention.retention import RetentionReport
    from arena.server.config.server_config import ServerConfig

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.command("list")
def list_(data: ServerDataOption = None, json: JsonOption = False) -> None:
    """List the journals of a data folder: files, packed and dropped."""
    from arena.server.store.data_folder import require_store
    from arena.server.store.packed_journals import list_journals

    folder = data_folder(data)
    require_store(folder)
    rows = [to_plain(each) for each in list_journals(folder)]
    sizes = {
        "size": lambda row: format_size(row["byte_count"]),
        "on disk": lambda row: format_size(row["stored_byte_count"]),
    }
    present_rows(rows, json, {"journal": "name", "is": "state", **sizes})


@app.command()
def pack(
    pack_after_days: Annotated[
        int | None, typer.Option(metavar="DAYS", help="Days since the last match of a journal. Default: 30.")
    ] = None,
    drop_after_days: Annotated[
        int | None, typer.Option(metavar="DAYS", help="Age at which packed journals are dropped. Default: never.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file with the server's settings.")] = None,
    data: ServerDataOption = None,
    json: JsonOption = False,
) -> None:
    """Pack the journals of old matches, and drop them if you say so. A server may use the data folder.

    A journal is packed if all in it is over, revealed and closed, and its matches, played again, are as in the store.
    Replays, exports and audits read packed journals as before. Results stay when journals are dropped.
    """
    from arena.server.config.read_config import read_config
    from arena.server.store.data_folder import require_store

    terms = {"pack_after_days": pack_after_days, "drop_after_days": drop_after_days}
    given = {name: days for name, days in terms.items() if days is not None}
    settings = read_config(config, {"data": data, "retention": given or None})
    require_store(settings.data)
    report = asyncio.run(_pack(settings))
    present(report.as_dict(), json, _report_lines(report))


async def _pack(settings: "ServerConfig") -> "RetentionReport":
    from arena.fleet.telemetry import set_up_logging
    from arena.games.catalogue import games
    from arena.organizer.retention.retention import run_round
    from arena.server.store.data_folder import acquire_folder_lock, wait_for_old_nodes

    set_up_logging("error")
    try:
        held = acquire_folder_lock(settings.data)
    except StoreLockedError:  # a server uses it
        return await run_round(settings.data, settings.retention, games(), time.time())
    with held:
        wait_for_old_nodes(settings.data)
        return await run_round(settings.data, settings.retention, games(), time.time(), held)


def _report_lines(report: "RetentionReport") -> Iterator[str]:
    for name, reason in report.kept.items():
        yield f"{name} stays as it is: {reason}"
    sizes = (
        f": {format_size(report.byte_count)} became {format_size(report.packed_byte_count)}" if report.packed else ""
    )
    yield f"{format_count(len(report.packed), 'journal')} packed{sizes}"
    if report.dropped:
        yield f"{format_count(len(report.dropped), 'journal')} dropped"
