"""Options that several commands share. This module imports nothing large, so that `--help` is fast."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

SETUP_PANEL: Final = "Where and how"

DataOption = Annotated[Path | None, typer.Option(help="Data folder. Default: ARENA_DATA, or else arena-data.")]
"""For commands that only read the data folder."""
NewDataOption = Annotated[
    Path | None, typer.Option(help="Data folder; created if missing. Default: ARENA_DATA, or else arena-data.")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Database of a new data folder: postgresql://USER@HOST/DATABASE. Default: ARENA_STORE, or else one file.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]
JoinTimeOption = Annotated[float, typer.Option(min=0, help="Seconds that a remote bot has to connect.")]
GameOption = Annotated[str, typer.Option(help="Game to play. Default: the game of the preset.")]
TurnOption = Annotated[int | None, typer.Option(help="Milliseconds per turn.")]
CallOption = Annotated[int | None, typer.Option(help="Milliseconds per call window.")]
ReconnectGraceOption = Annotated[
    int | None, typer.Option(help="Milliseconds per match to wait for a bot that lost its connection.")
]
UntrustedOption = Annotated[
    bool, typer.Option("--untrusted", help="Run the bots that are started here in boxes that they cannot leave.")
]
SubmittedFromOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Data folder of the server, running or not, to which bots were submitted. Default: --data.",
    ),
]
ServerOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Ask the server at host:port as the author of a bot, with its token in CHEATARENA_TOKEN or ARENA_TOKEN.",
    ),
]
"""For commands with which an author may also ask a server."""
OwnServerOption = Annotated[
    str, typer.Option(metavar="ADDRESS", help="Server. Default: the only one in the credentials file.")
]
"""For commands of an owner, whose token is there."""
NoServerOption = Annotated[str, typer.Option("--server", metavar="ADDRESS", hidden=True)]
"""For commands that cannot ask a server. If the option is given, such a command refuses to run."""
ClusterOption = Annotated[
    str,
    typer.Option(
        metavar="auto|ADDRESS",
        help="Play on the machines of a Ray cluster: that of this machine, or that at host:port.",
    ),
]
MatchArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the match, or a prefix that no other id has.")]


@dataclass(frozen=True, slots=True)
class RulesOptions:
    PANEL: ClassVar = "Rules"

    game: GameOption = ""
    """Empty for the preset's game."""
    preset: Annotated[
        str, typer.Option(help="Preset, or a rules file FILE.toml. Default: the game's first preset.")
    ] = ""
    """Empty for the game's first preset."""
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="Change one option of the rules; repeatable."),
    ] = None
