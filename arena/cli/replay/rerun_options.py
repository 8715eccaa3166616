"""The options of `arena replay rerun`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.options import DataOption, JoinTimeOption, JsonOption, NoServerOption


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    entrant: Annotated[str | None, typer.Option(metavar="NAME", help="Entrant whose seat the bot takes.")] = None
    seat: Annotated[
        int | None, typer.Option(min=0, help="Seat that the bot takes, in --game or else the first game.")
    ] = None
    game: Annotated[int | None, typer.Option(min=0, help="Compare only this game, from 0, and stop after it.")] = None
    at: Annotated[
        int | None,
        typer.Option(metavar="TURN", min=0, help="Show this turn of --game, or else the first game, and stop there."),
    ] = None


@dataclass(frozen=True, slots=True)
class RerunSetup:
    patience: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Seconds to wait for each answer. Default: forever."),
    ] = None
    join_time: JoinTimeOption = 60.0
    show_output: Annotated[bool, typer.Option("--show-output", help="Show the output of the bot.")] = False
    data: DataOption = None
    server: NoServerOption = ""
    json: JsonOption = False
