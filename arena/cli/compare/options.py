"""The options of `arena compare`: the bots, the test, the table, and the files for the answer."""

import dataclasses
from pathlib import Path
from typing import Annotated, ClassVar, Final

import typer

from arena.cli.options import (
    SETUP_PANEL,
    CallOption,
    ClusterOption,
    JsonOption,
    NewDataOption,
    RulesOptions,
    SubmittedFromOption,
    TurnOption,
    UntrustedOption,
)
from arena.competition.compare.sequential import ComparisonMode
from arena.errors import OptionError
from arena.match.value_class import value_class

DEFAULT_BUDGET: Final = "10m"
_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, sample:NAME or submitted:NAME."


@value_class()
class SequentialTestOptions:
    PANEL: ClassVar = "Test"

    mode: Annotated[
        ComparisonMode,
        typer.Option(
            help="Question to test: better, not-worse (by more than the margin), or same (neither bot is better)."
        ),
    ] = ComparisonMode.BETTER
    margin: Annotated[float, typer.Option(help="Smallest difference that matters, in places per game; above 0.")] = 0.2
    error: Annotated[float, typer.Option(help="Probability of a wrong yes, and of a wrong no; 0.001 to 0.4.")] = 0.05
    try_: Annotated[
        int | None,
        typer.Option(
            "--try",
            min=1,
            max=1000,
            metavar="N",
            help="Number of this try of a branch, one more than it has had without a yes. Each needs more games than "
            "the one before, and all together err with --error.",
        ),
    ] = None
    budget: Annotated[
        str,
        typer.Option(
            help="Number of games (such as 600; at least 24 per seat), or time (such as 10m). With time, the number of "
            "games depends on the speed of the machine.",
        ),
    ] = DEFAULT_BUDGET
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Give a rough answer after 30 s of play. It is no verdict: the exit code is 2."),
    ] = False
    on_undecided: Annotated[
        str,
        typer.Option(
            metavar="fail|pass",
            help="If the budget ends without an answer, exit with 2 (fail), or with 0 if the whole interval is inside "
            "the margin (pass).",
        ),
    ] = "fail"
    max_faults: Annotated[
        float,
        typer.Option(help="Exit with 3 if a larger share of the candidate's decisions is late, illegal or missing."),
    ] = 0.001
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help="Seed of all deals. A bot that knows the seed knows all hands.")
    ] = ""
    keep_state: Annotated[
        bool,
        typer.Option(
            "--keep-state",
            help="For bots that learn: keep the files that they write, and begin the next comparison of the same bots "
            "with them. Then blocks depend on each other.",
        ),
    ] = False


@value_class()
class TableOptions:
    PANEL: ClassVar = "Rules"

    seats: Annotated[int, typer.Option(min=2, max=10, help="Seats at the table.")] = 4
    rules: RulesOptions = dataclasses.field(default_factory=RulesOptions)
    turn_ms: TurnOption = None
    call_ms: CallOption = None


@value_class()
class CompareOptions:
    candidate: Annotated[str, typer.Option(metavar="BOT", help=_BOT_HELP)]
    baseline: Annotated[str, typer.Option(metavar="BOT", help="Bot to compare the candidate with.")] = ""
    self_test: Annotated[
        bool,
        typer.Option("--self-test", help="Compare the candidate with its own copy, to check that this setup is fair."),
    ] = False
    field: Annotated[
        str,
        typer.Option(
            metavar="BOT,…",
            help="Opponents for the other seats, repeated until all seats are taken. Default: the baseline, "
            "sample:honest and sample:counter; in CHEATER the baseline and sample:set_chaser.",
        ),
    ] = ""
    untrusted: UntrustedOption = False
    submitted_from: SubmittedFromOption = None
    test: SequentialTestOptions = dataclasses.field(default_factory=SequentialTestOptions)
    table: TableOptions = dataclasses.field(default_factory=TableOptions)


@value_class()
class OutputFiles:
    """None means that a file was not requested."""

    markdown: Annotated[Path | None, typer.Option(help="Write the answer to this file as Markdown.")] = None
    junit: Annotated[Path | None, typer.Option(help="Write the answer to this file as JUnit XML, for CI.")] = None
    replays: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the games that cost most places to this folder, as text."),
    ] = None

    def check_distinct(self) -> None:
        """Raise OptionError if two answers would go to the same file."""
        if self.markdown is not None and self.markdown == self.junit:
            raise OptionError("junit", str(self.junit), "expected another file than for --markdown")


@value_class()
class CompareSetup:
    PANEL: ClassVar = SETUP_PANEL

    nodes: Annotated[int | None, typer.Option(min=1, help="Server processes. Default: one per three cores.")] = None
    cluster: ClusterOption = ""
    data: NewDataOption = None
    files: OutputFiles = dataclasses.field(default_factory=OutputFiles)
    json: JsonOption = False
