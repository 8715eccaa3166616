"""The options of `arena practice`: the bot, the trouble, its opponents, the games, the rules and the pace."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import typer

from arena.cli.options import (
    SETUP_PANEL,
    CallOption,
    JsonOption,
    NewDataOption,
    ReconnectGraceOption,
    RulesOptions,
    TurnOption,
)


@dataclass(frozen=True, slots=True)
class PracticePace:
    """None selects the default of the pace."""

    PANEL: ClassVar = "Pace"

    turn_ms: TurnOption = None
    call_ms: CallOption = None
    reconnect_grace_ms: ReconnectGraceOption = None


@dataclass(frozen=True, slots=True)
class PracticeSetup:
    PANEL: ClassVar = SETUP_PANEL

    data: NewDataOption = None
    json: JsonOption = False


@dataclass(frozen=True, slots=True)
class PracticeOptions:
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."
        ),
    ]
    chaos: Annotated[
        str,
        typer.Option(
            metavar="[KINDS]",
            help="Play the games again under each of these kinds of trouble: delay, jitter, drops, restarts, server, "
            "neighbours. Without a list: all of them.",
        ),
    ] = ""
    against: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="An opponent; repeatable. Default: the game's sample bots.")
    ] = None
    seats: Annotated[int, typer.Option(min=2, max=10, help="Seats at the table.")] = 4
    games: Annotated[int, typer.Option(help="Games in each phase.")] = 4
    seed: Annotated[
        str,
        typer.Option(metavar="HEX", help="Seed of the cards and of the trouble. Default: a new one, which is shown."),
    ] = ""
    rules: RulesOptions = field(default_factory=RulesOptions)
    pace: PracticePace = field(default_factory=PracticePace)
    setup: PracticeSetup = field(default_factory=PracticeSetup)
