"""`arena store`: copies the database of a data folder to PostgreSQL, and back."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.console import print_status
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.server.store.engines import Place

app = typer.Typer(rich_markup_mode="markdown")


@app.callback()
def store() -> None:
    """The database of a data folder is a file in it, or in PostgreSQL."""


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Data folder, or postgresql://USER@HOST/DATABASE.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The same; its database is empty or not there yet.")],
) -> None:
    """Copy a database, and compare every row. No server may use either meanwhile. All other files of a data folder stay
    where they are, and the folder goes on with the database that it has.
    """
    from arena.server.store.store_copy import copy_store

    with ExitStack() as stack:
        counts = copy_store(stack.enter_context(_hold_source(source)), stack.enter_context(_hold_target(target)))
    print(f"{format_count(sum(counts.values()), 'row')} of {format_count(len(counts), 'table')} copied and compared")
    if _is_url(target) and not _is_url(source):
        print_status(f"to use the copy, move {source}/arena.db away and add --store once")
    elif _is_url(source) and not _is_url(target):
        print_status(f"to use the copy, remove {target}/arena.store if it is there")


def _is_url(text: str) -> bool:
    return "://" in text


@contextmanager
def _hold_source(text: str) -> "Iterator[Place]":
    """Return where a database is, in the current schema if it is that of a folder, which stays locked."""
    from arena.server.store.data_folder import acquire_folder_lock, require_store
    from arena.server.store.open_store import open_store
    from arena.server.store.store_place import find_place, read_url

    if _is_url(text):
        yield read_url(text)
        return
    folder = Path(text)
    require_store(folder)
    with acquire_folder_lock(folder) as held:

        async def bring_up_to_date() -> None:
            await (await open_store(folder, held)).close()

        asyncio.run(bring_up_to_date())
        yield find_place(folder)


@contextmanager
def _hold_target(text: str) -> "Iterator[Place]":
    """Return where a database may be made. That of a folder is a file, which does not stay if the copy fails."""
    from arena.server.store.data_folder import DATABASE_FILE, acquire_folder_lock, make_private_file
    from arena.server.store.store_place import read_url

    if _is_url(text):
        yield read_url(text)
        return
    path = Path(text) / DATABASE_FILE
    with acquire_folder_lock(path.parent), ExitStack() as undo:
        if not path.exists():
            make_private_file(path)
            for suffix in ("", "-wal", "-shm"):
                undo.callback(path.with_name(path.name + suffix).unlink, missing_ok=True)
        yield path
        undo.pop_all()
