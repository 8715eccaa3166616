"""`arena audit`: computes every stored result again from the journals and shows what differs."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.organizer.audit.findings import AuditReport

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def audit(data: DataOption = None, json: JsonOption = False) -> int:
    """Compute every stored result again from the journals, and find any edit, deletion or swap.

    Checks matches, games, deals and their chain, receipts, journals and leagues. Prints one line for each finding. No
    server may use the data folder meanwhile.

    Exit code 0 if everything agrees, 1 if there are findings, 75 if a server uses the data folder.
    """
    from arena.bots.launch.output import sanitize_for_terminal
    from arena.cli.console import print_json, print_status
    from arena.errors import RequestError
    from arena.server.config.read_config import read_config
    from arena.server.store.data_folder import DATABASE_FILE

    folder = read_config(flags={"data": data}).data
    if not (folder / DATABASE_FILE).is_file():
        raise RequestError(f"there is no store at {str(folder)!r}: no server has run there")
    report = asyncio.run(_audit(folder))
    if json:
        print_json(report.as_dict())
    else:
        for note in report.notes:
            print_status(f"note: {note}")
        for finding in report.findings:
            print(sanitize_for_terminal(str(finding)))
        print(_summary(report))
    return ExitCode.NO if report.findings else ExitCode.YES


async def _audit(folder: Path) -> "AuditReport":
    from arena.games.catalogue import games
    from arena.organizer.audit.audit import StoreAudit
    from arena.server.store.data_folder import acquire_folder_lock
    from arena.server.store.open_store import open_store

    with acquire_folder_lock(folder) as lock:
        async with await open_store(folder, lock) as store:
            return await StoreAudit(store, games()).run()


def _summary(report: "AuditReport") -> str:
    audited = (
        f"{format_count(report.matches, 'match')} with {format_count(report.games, 'game')},"
        f" {format_count(report.deals, 'deal')}, {format_count(report.blocks, 'block')} of leagues"
        f" and {format_count(report.journals, 'journal')}"
    )
    if not report.findings:
        return f"everything agrees: {audited}"
    return f"{format_count(len(report.findings), 'finding')} in {audited}"
