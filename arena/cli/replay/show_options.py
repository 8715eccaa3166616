"""The options of `arena replay show` that say how much of a match is shown, and how."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """How much is shown, and how."""

    turn: Annotated[
        str | None,
        typer.Option(metavar="TURNS", help="Show only these turns: 30, 30..37, 30.. or ..37."),
    ] = None
    full: Annotated[bool, typer.Option("--full", help="Show every question, answer and event, with seat numbers.")] = (
        False
    )
    no_pager: Annotated[
        bool, typer.Option("--no-pager", help="Print to the terminal, even what is longer than the screen.")
    ] = False
