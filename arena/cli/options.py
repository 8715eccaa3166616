"""Options that several commands share. Nothing heavy is imported here, so that `--help` is quick."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

SETUP_PANEL: Final = "Where and how"

DataOption = Annotated[Path | None, typer.Option(help="Data folder. Default: ARENA_DATA, or else arena-data.")]
"""Of a command that only reads."""
NewDataOption = Annotated[
    Path | None, typer.Option(help="Data folder, made if missing. Default: ARENA_DATA, or else arena-data.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
JoinTimeOption = Annotated[float, typer.Option(min=0, help="Seconds that a remote bot has for dialling in.")]
GameOption = Annotated[str, typer.Option(help="Which game; by default that of the preset.")]
TurnOption = Annotated[int | None, typer.Option(help="Milliseconds for a turn.")]
CallOption = Annotated[int | None, typer.Option(help="Milliseconds for a call window.")]
MatchArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A match's id, or as much of its beginning as is unique.")
]


@dataclass(frozen=True, slots=True)
class RulesOptions:
    """The rules, as typed."""

    PANEL: ClassVar = "Rules"

    game: GameOption = ""
    """Empty: that of the preset."""
    preset: Annotated[
        str, typer.Option(help="The rules to start from, or a file FILE.toml; by default the game's first.")
    ] = ""
    """Empty: the first one of the game."""
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="A rule that differs; repeatable."),
    ] = None
