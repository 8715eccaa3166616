"""`arena restore`: restores a data folder from a backup."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.backup import describe_copy
from arena.cli.store_access import ServerDataOption, data_folder

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(help="The backup that `arena backup` has made.")],
    data: ServerDataOption = None,
) -> None:
    """`arena audit` then checks everything in it. A backup of a newer version of the arena is refused; one of an older
    version is upgraded when it is first used.
    """
    from arena.server.store.folder_copy import restore_data_folder

    target = data_folder(data)
    print(describe_copy(restore_data_folder(folder, target), target))
