"""The options of `arena replay rerun`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.options import DataOption, JoinTimeOption, JsonOption


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """The options for the place that a bot takes and the part of the match to compare."""

    entrant: Annotated[str | None, typer.Option(metavar="NAME", help="Entrant whose place the bot takes.")] = None
    seat: Annotated[int | None, typer.Option(min=0, help="The same by seat, in --game or else in the first game.")] = (
        None
    )
    game: Annotated[int | None, typer.Option(min=0, help="Compare only this game, from 0, and end with it.")] = None
    at: Annotated[
        int | None,
        typer.Option(metavar="TURN", min=0, help="Stop at this turn of --game, or of the first game, and show it."),
    ] = None


@dataclass(frozen=True, slots=True)
class RerunSetup:
    """The options for running a rerun."""

    patience: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Seconds to wait for each answer. Default: forever."),
    ] = None
    join_time: JoinTimeOption = 60.0
    show_output: Annotated[bool, typer.Option("--show-output", help="Show the output of the bot.")] = False
    data: DataOption = None
    json: JsonOption = False
