"""`arena backup`: copies a data folder, while a server may use it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.bots.packages.rules import format_size
from arena.cli.store_access import ServerDataOption, data_folder
from arena.plurals import format_count

if TYPE_CHECKING:
    from arena.server.store.folder_copy import CopiedFiles

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="The backup: a folder that is empty or not there yet.")],
    data: ServerDataOption = None,
) -> None:
    """The backup is a data folder as it was at one instant, with all its secrets. The output of bots and uploads in
    progress are left out.
    """
    from arena.server.store.folder_copy import copy_data_folder

    print(describe_copy(copy_data_folder(data_folder(data), folder), folder))


def describe_copy(copied: "CopiedFiles", target: Path) -> str:
    return f"{format_count(copied.count, 'file')}, {format_size(copied.byte_count)}, copied to {target.resolve()}"
