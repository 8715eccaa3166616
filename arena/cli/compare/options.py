"""The options of `arena compare`: who is compared, by which test, at what table, and where the answer goes."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

from arena.cli.options import SETUP_PANEL, CallOption, JsonOption, NewDataOption, RulesOptions, TurnOption
from arena.compare.sequential import ComparisonMode

_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."


@dataclass(frozen=True, slots=True)
class TestOptions:
    """The sequential test, and what is made of its answer."""

    PANEL: ClassVar = "Test"

    mode: Annotated[
        ComparisonMode,
        typer.Option(help="better: than equal? not-worse: than by the margin? same: neither is better?"),
    ] = ComparisonMode.BETTER
    margin: Annotated[float, typer.Option(help="Places a game that make a difference, above 0.")] = 0.2
    error: Annotated[float, typer.Option(help="How often a wrong yes, or a wrong no, may be said: 0.001 to 0.4.")] = (
        0.05
    )
    budget: Annotated[
        str,
        typer.Option(
            help="Games (600; 24 for each seat at least), or time (10m): then the machine decides how much is seen.",
        ),
    ] = "10m"
    on_undecided: Annotated[
        str, typer.Option(metavar="fail|pass", help="Exit with 2, or with 0, at the end of the budget.")
    ] = "fail"
    max_faults: Annotated[
        float, typer.Option(help="Exit with 3 if more of the candidate's decisions are late, illegal or missing.")
    ] = 0.001
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Decides all deals: a bot that knows it sees all hands.")
    ] = ""


@dataclass(frozen=True, slots=True)
class CompareRulesOptions(RulesOptions):
    """The rules, which here have a preset of their own by default."""

    preset: Annotated[str, typer.Option(help="The rules to start from, or a file FILE.toml.")] = "standard"


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The table at which both are compared."""

    PANEL: ClassVar = "Rules"

    seats: Annotated[int, typer.Option(min=2, max=10, help="At a table.")] = 4
    rules: CompareRulesOptions = dataclasses.field(default_factory=CompareRulesOptions)
    turn_ms: TurnOption = None
    call_ms: CallOption = None


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What is asked, as typed."""

    candidate: Annotated[str, typer.Option(metavar="BOT", help=_BOT_HELP)]
    baseline: Annotated[str, typer.Option(metavar="BOT", help="What it is compared with.")] = ""
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Instead of a baseline: its own copy. Is this set-up fair?")
    ] = False
    field: Annotated[
        str,
        typer.Option(
            metavar="BOT,…",
            help="Who else sits there, by turns. Default: the baseline, sample:honest and sample:counter; in CHEATER it"
            " and sample:set_chaser.",
        ),
    ] = ""
    test: TestOptions = dataclasses.field(default_factory=TestOptions)
    table: TableOptions = dataclasses.field(default_factory=TableOptions)


@dataclass(frozen=True, slots=True)
class CompareSetup:
    """Where a comparison is played and where its answer goes."""

    PANEL: ClassVar = SETUP_PANEL

    nodes: Annotated[int | None, typer.Option(min=1, help="Processes that play. Default: one for three cores.")] = None
    data: NewDataOption = None
    markdown: Annotated[Path | None, typer.Option(help="Write the answer there, for people.")] = None
    junit: Annotated[Path | None, typer.Option(help="Write it there, for CI.")] = None
    replays: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the most costly games there, as text.")
    ] = None
    json: JsonOption = False
