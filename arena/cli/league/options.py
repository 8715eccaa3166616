"""The options of `arena league`: the file, and where and on how much of the machine the league is played."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.listening import ListeningFlags
from arena.cli.options import DataOption, JsonOption

_BYTES_PER_BOT: Final = 100 << 20
"""Assumed memory of a bot process."""
_MIN_PROCESSES: Final = 16

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="League file, in TOML.")]
ProcessesOption = Annotated[
    int | None,
    typer.Option("--max-bot-processes", min=1, help="Maximum number of bot processes. Default: as memory allows."),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    file: FileArgument
    nodes: Annotated[int | None, typer.Option(min=1, help="Server processes. Default: one per core.")] = None
    max_bot_processes: ProcessesOption = None
    port: Annotated[int, typer.Option(help="Port for remote bots; 0: any free port.")] = 0
    listening: ListeningFlags = field(default_factory=ListeningFlags)
    data: DataOption = None
    json: JsonOption = False

    @property
    def processes(self) -> int:
        """The largest number of bot processes."""
        return self.max_bot_processes or max_processes_for_memory()


def max_processes_for_memory() -> int:
    """Return how many bots fit into half of the machine's memory."""
    if not hasattr(os, "sysconf"):
        return _MIN_PROCESSES
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_MIN_PROCESSES, memory // 2 // _BYTES_PER_BOT)


def league_words(file: Path, data: Path | None) -> list[str]:
    """Return the arguments that name a league in a suggested command."""
    return [str(file), *(["--data", str(data)] if data else [])]
