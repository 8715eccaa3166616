"""The options of `arena league`: the file, and where and on how much of the machine the league is played."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.listening import ListeningFlags
from arena.cli.options import ClusterOption, DataOption, JsonOption, StoreOption
from arena.errors import OptionError, RequestError

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="League file, in TOML.")]
ProcessesOption = Annotated[
    int | None,
    typer.Option("--max-bot-processes", min=1, help="Maximum number of bot processes. Default: as memory allows."),
]

PlayOnServerOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Let this server (host:port) play it with its own bots. Needs an organizer's token in ARENA_TOKEN, or its "
        "folder as --data.",
    ),
]
ShowOnServerOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS", help="Server (host:port) that plays it, with an organizer's token in ARENA_TOKEN, or --data."
    ),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    file: FileArgument
    nodes: Annotated[int | None, typer.Option(min=1, help="Server processes. Default: one per core.")] = None
    max_bot_processes: ProcessesOption = None
    port: Annotated[int, typer.Option(help="Port for remote bots; 0: any free port.")] = 0
    listening: ListeningFlags = field(default_factory=ListeningFlags)
    server: PlayOnServerOption = ""
    cluster: ClusterOption = ""
    data: DataOption = None
    store: StoreOption = None
    json: JsonOption = False

    def check_for_server(self) -> None:
        """Raise OptionError or RequestError for an option that is the server's to decide."""
        given = {
            "nodes": self.nodes,
            "max_bot_processes": self.max_bot_processes,
            "port": self.port or None,
            "cluster": self.cluster or None,
        }
        for name, value in (given | asdict(self.listening)).items():
            if value is not None:
                raise OptionError(name, value, "leave it out with --server: the server decides it")
        if self.store is not None:  # its text may have a password
            raise RequestError("leave out --store with --server: the server decides it")


def league_words(file: Path, data: Path | None) -> list[str]:
    """Return the arguments that name a league in a suggested command."""
    return [str(file), *(["--data", str(data)] if data else [])]
