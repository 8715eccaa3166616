"""`arena compare`: is the candidate better than the baseline? The answer is the exit code."""

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.compare.sequential import ComparisonMode
from arena.errors import OptionError

app = typer.Typer(rich_markup_mode="markdown")

_RULES_PANEL: Final = "Rules"
_TEST_PANEL: Final = "Test"
_SETUP_PANEL: Final = "Where and how"
_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."


@app.command()
def compare(  # noqa: PLR0913, PLR0917  each is an option of the command line
    candidate: Annotated[str, typer.Option(metavar="BOT", help=_BOT_HELP)],
    baseline: Annotated[str, typer.Option(metavar="BOT", help="What it is compared with.")] = "",
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Instead of a baseline: its own copy. Is this set-up fair?")
    ] = False,
    field: Annotated[
        str,
        typer.Option(
            metavar="BOT,…",
            help="Who else sits there, by turns. Default: the baseline, sample:honest and sample:counter; in CHEATER it"
            " and sample:set_chaser.",
        ),
    ] = "",
    mode: Annotated[
        ComparisonMode,
        typer.Option(
            rich_help_panel=_TEST_PANEL,
            help="better: than equal? not-worse: than by the margin? same: neither is better?",
        ),
    ] = ComparisonMode.BETTER,
    margin: Annotated[
        float, typer.Option(rich_help_panel=_TEST_PANEL, help="Places a game that make a difference, above 0.")
    ] = 0.2,
    error: Annotated[
        float,
        typer.Option(
            rich_help_panel=_TEST_PANEL, help="How often a wrong yes, or a wrong no, may be said: 0.001 to 0.4."
        ),
    ] = 0.05,
    budget: Annotated[
        str,
        typer.Option(
            rich_help_panel=_TEST_PANEL,
            help="Games (600; 24 for each seat at least), or time (10m): then the machine decides how much is seen.",
        ),
    ] = "10m",
    on_undecided: Annotated[
        str,
        typer.Option(
            metavar="fail|pass", rich_help_panel=_TEST_PANEL, help="Exit with 2, or with 0, at the end of the budget."
        ),
    ] = "fail",
    max_faults: Annotated[
        float,
        typer.Option(
            rich_help_panel=_TEST_PANEL,
            help="Exit with 3 if more of the candidate's decisions are late, illegal or missing.",
        ),
    ] = 0.001,
    seed: Annotated[
        str,
        typer.Option(
            metavar="TEXT", rich_help_panel=_TEST_PANEL, help="Decides all deals: a bot that knows it sees all hands."
        ),
    ] = "",
    seats: Annotated[int, typer.Option(min=2, max=10, rich_help_panel=_RULES_PANEL, help="At a table.")] = 4,
    game: Annotated[
        str, typer.Option(rich_help_panel=_RULES_PANEL, help="Which game; by default that of the preset.")
    ] = "",
    preset: Annotated[
        str, typer.Option(rich_help_panel=_RULES_PANEL, help="The rules to start from, or a file FILE.toml.")
    ] = "standard",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="OPTION=VALUE", rich_help_panel=_RULES_PANEL, help="A rule that differs; repeatable."
        ),
    ] = None,
    turn_ms: Annotated[int | None, typer.Option(rich_help_panel=_RULES_PANEL, help="Milliseconds for a turn.")] = None,
    call_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_RULES_PANEL, help="Milliseconds for a call window.")
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(min=1, rich_help_panel=_SETUP_PANEL, help="Processes that play. Default: one for three cores."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SETUP_PANEL, help="Data folder, made if missing. Default: ARENA_DATA, or else arena-data."
        ),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(rich_help_panel=_SETUP_PANEL, help="Write the answer there, for people.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(rich_help_panel=_SETUP_PANEL, help="Write it there, for CI.")] = None,
    replays: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", rich_help_panel=_SETUP_PANEL, help="Write the most costly games there, as text."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", rich_help_panel=_SETUP_PANEL, help="The answer as JSON.")] = False,
) -> int:
    """Tell whether a candidate is better than a baseline, with as few games as that takes.

    Both hold the same seats of the same deals among the same opponents; a sequential test stops as soon as it is clear.

    Exit codes: 0 yes, 1 no, 2 undecided at the end of the budget, 3 a bot did not start or has too many faults, 64 it
    cannot be asked so, 70 our own fault, 75 the machine was too unsteady, or a file cannot be written or is held, 130
    stopped: the same command goes on.
    """
    from arena.cli.compare.output_files import OutputFiles
    from arena.cli.compare.request import CompareRequest
    from arena.cli.compare.run import CompareRun
    from arena.cli.signals import run_until_stopped

    asked = CompareRequest(
        candidate=candidate, baseline=baseline, is_self_test=self_test, field=field, mode=mode, margin=margin,
        error=error, budget=budget, on_undecided=on_undecided, max_faults=max_faults, seed=seed, seats=seats, game=game,
        preset=preset, options=tuple(set_ or ()), pace={"turn_ms": turn_ms, "call_ms": call_ms},
    )  # fmt: skip
    if markdown is not None and markdown == junit:
        raise OptionError("junit", str(junit), "expected another file than for --markdown")
    run = CompareRun(asked, data, nodes, OutputFiles(markdown, junit, replays), json)
    return asyncio.run(run_until_stopped(run.play(), run.interruption_message))
