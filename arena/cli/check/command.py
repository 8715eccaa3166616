"""The command `arena check`: reads its arguments, and shows and writes the results."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.options import JsonOption, NewDataOption, UntrustedOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.author.check.step import ExitStep, Step, StepResult
    from arena.cli.check.request import CheckRequest
    from arena.cli.exit_codes import ExitCode
    from arena.cli.junit import JunitCase

app = typer.Typer(rich_markup_mode="markdown")

_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."


@app.command()
def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help=_BOT_HELP)] = "",
    step: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Run only this step, or those that match, as in `lost-*`; repeatable."),
    ] = None,
    list_steps: Annotated[bool, typer.Option("--list", help="List the steps and run nothing.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the results as JUnit XML.")] = None,
    untrusted: UntrustedOption = False,
    data: NewDataOption = None,
    json: JsonOption = False,
) -> int:
    """Check whether a bot follows the protocol.

    The bot plays on a real server with sample bots, and everything that it receives and sends is watched. The steps
    lose connections, refuse decisions, join and split frames, and end streams. Each step starts the bot in a new
    process, and shows what was expected and what the bot did.

    Exit code 0 if all steps passed or were skipped, 1 if one failed, 2 if one was not reached. Exit code 3 if the bot
    could not be built or started: the steps before that are shown, and no further step runs.
    """
    from arena.cli.check.request import make_request, select_steps
    from arena.cli.check.run import run_check
    from arena.cli.exit_codes import ExitCode

    steps = select_steps(step or [])
    if list_steps:
        _print_steps(steps)
        return ExitCode.YES
    request = make_request(bot, steps, data, junit, is_untrusted=untrusted)

    def show(results: "Sequence[StepResult]") -> None:
        if junit is not None:
            _write_junit(junit, request, results)
        _print_results(request, results, as_json=json)

    return _exit_code_of(run_check(request, show, is_quiet=json))


def _print_steps(steps: "Sequence[Step | ExitStep]") -> None:
    from arena.author.check.report import step_lines
    from arena.cli.check.run import output_width

    for step in steps:
        print(*step_lines(step, output_width()), sep="\n")


def _print_results(request: "CheckRequest", results: "Sequence[StepResult]", *, as_json: bool) -> None:
    from arena.author.check.report import results_as_dict, summary
    from arena.cli.console import print_json

    if as_json:
        print_json(results_as_dict(request.program.name, results))
    else:
        print(f"{summary(results)}; the bot's output is in {request.outputs}")


def _exit_code_of(results: "Sequence[StepResult]") -> "ExitCode":
    from arena.author.check.step import Verdict
    from arena.cli.exit_codes import ExitCode

    verdicts = {result.verdict for result in results}
    if Verdict.FAILED in verdicts:
        return ExitCode.NO
    return ExitCode.UNDECIDED if Verdict.NOT_REACHED in verdicts else ExitCode.YES


def _write_junit(path: Path, request: "CheckRequest", results: "Sequence[StepResult]") -> None:
    """Write the results for CI. Raises EnvironmentFaultError."""
    from arena.cli.junit import junit_document
    from arena.cli.output_file import write_file

    cases = [_junit_case(result) for result in results]
    write_file(path, junit_document(f"arena check {request.program.name}", cases, time.time()))


def _junit_case(result: "StepResult") -> "JunitCase":
    """Return a step as a test case. A step that was not reached counts as skipped."""
    from arena.author.check.report import expectation_of
    from arena.author.check.step import Verdict
    from arena.cli.junit import JunitCase

    failure = "\n".join(f"expected: {expectation_of(each.rule)}; came: {each.came}" for each in result.findings)
    skipped = f"{result.verdict}: {result.note}" if result.verdict in {Verdict.SKIPPED, Verdict.NOT_REACHED} else ""
    error = result.note if result.verdict is Verdict.NOT_STARTED else ""
    return JunitCase(result.step.name, result.seconds, failure=failure, error=error, skipped=skipped)
