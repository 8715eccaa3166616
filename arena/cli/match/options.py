"""The options of `arena match`: the bots, the games, the rules, the pace and the server."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, ClassVar, Final

import typer

from arena.cli.options import (
    SETUP_PANEL,
    CallOption,
    ClusterOption,
    JoinTimeOption,
    JsonOption,
    NewDataOption,
    ReconnectGraceOption,
    RulesOptions,
    SubmittedFromOption,
    TurnOption,
    UntrustedOption,
)
from arena.match.value_class import value_class

_BOT_HELP: Final = (
    "A script, a folder or manifest (bot.toml), a quoted command, sample:NAME, submitted:NAME, or remote:NAME if you "
    "start it. "
    "Repeat it once per seat; copies of one bot are called NAME#1, NAME#2."
)


@value_class()
class PlayerOptions:
    bot: Annotated[list[str], typer.Option(help=_BOT_HELP)]
    fill: Annotated[str, typer.Option(metavar="BOT", help="Bot for the remaining seats; needs --seats.")] = ""
    seats: Annotated[int, typer.Option(min=0, help="Seats at the table. Default: one for each --bot.")] = 0
    untrusted: UntrustedOption = False
    submitted_from: SubmittedFromOption = None


@value_class()
class GamesOptions:
    games: Annotated[int, typer.Option(help="Games of a match, 1 to 10000, played one after the other.")] = 1
    matches: Annotated[
        int,
        typer.Option(min=1, max=10_000, help="Matches to play, each with --games games; the results are added up."),
    ] = 1
    seating: Annotated[
        str, typer.Option(help="rotated: everybody moves one seat after each game. fixed: nobody moves.")
    ] = "rotated"
    seed: Annotated[
        str,
        typer.Option(
            metavar="HEX",
            help="Seed of all cards, up to 64 digits. Makes the match unrated. With --matches, each match has its own.",
        ),
    ] = ""
    unrated: Annotated[bool, typer.Option("--unrated", help="Do not rate the result.")] = False


@value_class()
class PaceOptions:
    """None selects the default of the pace."""

    PANEL: ClassVar = "Pace"

    pace: Annotated[
        str,
        typer.Option(help="sealed: in rounds, with hidden answers. live: as at a real table."),
    ] = "sealed"
    turn_ms: TurnOption = None
    call_ms: CallOption = None
    min_call_ms: Annotated[
        int | None, typer.Option(help="live: milliseconds after a move before calls are accepted.")
    ] = None
    intermission_ms: Annotated[int | None, typer.Option(help="Longest break between two games, in milliseconds.")] = (
        None
    )
    max_auto_moves: Annotated[
        int | None, typer.Option(help="Missed turns in a row after which a bot loses its seat; 0: never.")
    ] = None
    reconnect_grace_ms: ReconnectGraceOption = None
    fixed_window: Annotated[
        bool | None,
        typer.Option(
            "--fixed-window/--no-fixed-window",
            help="sealed: call windows always last their full time. Default: in rated matches with a remote bot.",
        ),
    ] = None
    lag_purse: Annotated[
        bool,
        typer.Option("--lag-purse", help="sealed: give bots back part of the time that their messages are on the way."),
    ] = False
    no_deadlines: Annotated[bool, typer.Option("--no-deadlines", help="Play unrated, without deadlines.")] = False
    forgiving: Annotated[
        bool,
        typer.Option(
            "--forgiving",
            help="For developing: faults cost no bot its seat, and the exit code is 0 whatever their number.",
        ),
    ] = False

    @property
    def settings(self) -> Mapping[str, int]:
        """Return the values that differ from the pace's defaults, by the field names of `Pace`."""
        given = {
            "turn_ms": self.turn_ms,
            "call_ms": self.call_ms,
            "min_call_ms": self.min_call_ms,
            "intermission_ms": self.intermission_ms,
            "max_auto_moves": 0 if self.forgiving else self.max_auto_moves,
            "reconnect_grace_ms": self.reconnect_grace_ms,
            "fixed_window": self.fixed_window,
            "lag_purse": self.lag_purse or None,
            "no_deadlines": self.no_deadlines or None,
        }
        return {name: value for name, value in given.items() if value is not None}


@value_class()
class MatchRequest:
    games: GamesOptions = field(default_factory=GamesOptions)
    rules: RulesOptions = field(default_factory=RulesOptions)
    pace: PaceOptions = field(default_factory=PaceOptions)


@value_class()
class MatchSetup:
    PANEL: ClassVar = SETUP_PANEL

    data: NewDataOption = None
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Play on this server (host:port). Needs an organizer's token in ARENA_TOKEN, or its folder as --data.",
        ),
    ] = ""
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Server processes that share the games, each with its own copies of the bots. Default: one per core "
            "if there are enough games; only one with --matches, --seed, --server, --port or a remote bot.",
        ),
    ] = None
    cluster: ClusterOption = ""
    at_once: Annotated[
        int, typer.Option(min=1, help="With --matches: how many matches each bot plays at the same time.")
    ] = 4
    port: Annotated[int, typer.Option(help="Port of the server started for this match; 0: any free port.")] = 0
    join_time: JoinTimeOption = 60.0
    show_output: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Show the output of this bot; repeatable.")
    ] = None
    max_strikes: Annotated[
        int | None,
        typer.Option(
            min=0, help="Exit with 3 if a bot has more faults than this. Default: faults in 1 % of its decisions."
        ),
    ] = None
    json: JsonOption = False

    @property
    def shown_names(self) -> Sequence[str]:
        return self.show_output or ()
