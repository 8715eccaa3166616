"""`arena pack`: makes the package of a bot, and checks it as a server does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.console import print_status
from arena.cli.options import JsonOption
from arena.cli.present import present

if TYPE_CHECKING:
    from arena.bots.packages.package_check import Package

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def pack(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The bot's folder, with its bot.toml.")],
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Archive to write. Default: NAME-VERSION.tar.gz here.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """What Python, git and other programs leave in the folder stays out; so does the output of a build, if the bot has
    a build command. The same files always give the same archive.
    """
    from arena.bots.packages.packing import write_package
    from cheatarena.commands.submit import WITHOUT_POOLS

    archive, package = write_package(folder, output)
    if not package.manifest.pools:
        print_status(WITHOUT_POOLS)
    facts, place = describe_package(package), {"archive": str(archive)}
    present(place | facts, json, (f"{name:8} {value}" for name, value in (facts | place).items()))


def describe_package(package: "Package") -> dict[str, Any]:
    return {
        "name": package.manifest.name,
        "version": package.manifest.version,
        "files": package.file_count,
        "bytes": package.byte_count,
        "hash": package.hash,
    }
