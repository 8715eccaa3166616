"""`arena audit`: computes every stored result again from the journals and shows what differs."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import typer

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import DataOption, JsonOption
from arena.cli.present import present
from arena.cli.store_access import data_folder
from arena.errors import RequestError, StoreLockedError
from arena.organizer.audit.findings import AuditReport
from arena.plurals import format_count
from arena.server.store.data_folder import DATABASE_FILE, is_store
from arena.typed_command import arena_command

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def audit(data: DataOption = None, json: JsonOption = False) -> int:
    """Checks matches, games, deals and their chain, receipts, journals and leagues. Prints one line for each finding.
    No server may use the data folder meanwhile; beside one that runs, audit what `arena backup` copies.

    Exit code 0 if everything agrees, 1 if there are findings, 75 if a server uses the data folder.
    """
    folder = data_folder(data)
    if not is_store(folder):
        raise RequestError(f"there is no store at {str(folder)!r}: no server has run there")
    report = asyncio.run(_audit(folder))
    if not json:
        for note in report.notes:
            print_status(f"note: {note}")
    present(report.as_dict(), json, _report_lines(report))
    return ExitCode.NO if report.findings else ExitCode.YES


async def _audit(folder: Path) -> AuditReport:
    from arena.games.catalogue import games
    from arena.organizer.audit.audit import StoreAudit
    from arena.server.store.data_folder import acquire_folder_lock
    from arena.server.store.open_store import open_store

    try:
        held = acquire_folder_lock(folder)
    except StoreLockedError as error:
        if not (folder / DATABASE_FILE).is_file():  # it is in PostgreSQL, which `arena backup` does not copy
            raise
        copied = f"{arena_command('backup', 'COPY', '--data', folder)} && {arena_command('audit', '--data', 'COPY')}"
        raise StoreLockedError(f"{error}, or audit a copy: {copied}") from error
    with held as lock:
        async with await open_store(folder, lock) as store:
            return await StoreAudit(store, games()).run()


def _report_lines(report: AuditReport) -> Iterator[str]:
    yield from map(str, report.findings)
    audited = (
        f"{format_count(report.matches, 'match')} with {format_count(report.games, 'game')},"
        f" {format_count(report.deals, 'deal')}, {format_count(report.blocks, 'block')} of leagues"
        f" and {format_count(report.journals, 'journal')}"
    )
    found = f"{format_count(len(report.findings), 'finding')} in " if report.findings else "everything agrees: "
    yield found + audited
