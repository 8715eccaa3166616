"""`arena check`: checks whether a bot follows the protocol."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.options import JsonOption, NewDataOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.check.step import ExitStep, Step, StepResult
    from arena.cli.junit import JunitCase
    from arena.launch.programs import BotProgram
    from arena.node.event_loop import NodeClock, StampingSelector

app = typer.Typer(rich_markup_mode="markdown")

_BOT_HELP: Final = "A script, a folder or manifest (bot.toml), a quoted command, or sample:NAME."


@app.command()
def check(
    bot: Annotated[str, typer.Argument(metavar="BOT", help=_BOT_HELP)],
    step: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Run only this step, or steps like `lost-*`; repeatable.")
    ] = None,
    list_steps: Annotated[bool, typer.Option("--list", help="List the steps and run nothing.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the results as JUnit XML.")] = None,
    data: NewDataOption = None,
    json: JsonOption = False,
) -> int:
    """Check whether a bot follows the protocol.

    The bot plays on a real server with sample bots, and everything that it gets and sends is watched. The steps lose
    connections, refuse decisions, join and split frames, and end streams. Each step starts a new process of the bot and
    says what was expected and what came.

    Exit code 0 if all steps passed or were skipped, 1 if one failed, 2 if one was not reached.
    """
    from arena.app import run_node_loop
    from arena.check.report import results_as_dict, summary
    from arena.check.step import Verdict
    from arena.cli.console import print_json
    from arena.cli.exit_codes import ExitCode
    from arena.cli.junit import junit_document
    from arena.cli.signals import run_until_stopped
    from arena.config.read_config import read_config

    steps = _select_steps(step or [])
    if list_steps:
        for each in steps:
            print(f"{each.name:<20} {each.title}")
        return ExitCode.YES
    program = _find_program(bot)
    results: list[StepResult] = []
    outputs = read_config(flags={"data": data}).data.absolute() / "bots"
    with TemporaryDirectory(prefix="arena-check-") as folder:
        run_node_loop(
            lambda clock, selector: run_until_stopped(
                _run(program, steps, results, (Path(folder), outputs), (clock, selector), is_quiet=json),
                lambda: f"steps that were run: {len(results)} of {len(steps)}",
            )
        )
    if junit is not None:
        cases = [_junit_case(result) for result in results]
        junit.write_text(junit_document(f"arena check {program.name}", cases, time.time()), encoding="utf-8")
    if json:
        print_json(results_as_dict(program.name, results))
    else:
        print(f"{summary(results)}; the bot's output is in {outputs}")
    verdicts = {result.verdict for result in results}
    if Verdict.FAILED in verdicts:
        return ExitCode.NO
    return ExitCode.UNDECIDED if Verdict.NOT_REACHED in verdicts else ExitCode.YES


def _junit_case(result: "StepResult") -> "JunitCase":
    """Return a step as a test case. A step that was not reached counts as skipped."""
    from arena.check.step import Verdict
    from arena.cli.junit import JunitCase

    failure = "\n".join(f"expected: {each.rule.value}; came: {each.came}" for each in result.findings)
    skipped = f"{result.verdict}: {result.note}" if result.verdict in {Verdict.SKIPPED, Verdict.NOT_REACHED} else ""
    return JunitCase(result.step.name, result.seconds, failure=failure, skipped=skipped)


def _select_steps(names: "Sequence[str]") -> "list[Step | ExitStep]":
    """Return the steps with these names or patterns; all if there are none. Raises UnknownNameError."""
    from fnmatch import fnmatchcase

    from arena.check.steps import STEPS
    from arena.errors import UnknownNameError

    for name in names:
        if not any(fnmatchcase(each.name, name) for each in STEPS):
            raise UnknownNameError("step", name, [each.name for each in STEPS])
    return [each for each in STEPS if not names or any(fnmatchcase(each.name, name) for name in names)]


def _find_program(bot: str) -> "BotProgram":
    """Find the program of the bot. Raises RequestError if there is none, or if it is a remote bot."""
    from arena.errors import BotStartError, OptionError, RequestError
    from arena.launch.programs import BotProgram, find_bot

    try:
        program = find_bot(bot)
    except BotStartError as error:
        raise RequestError(str(error)) from error
    if not isinstance(program, BotProgram):
        raise OptionError("BOT", bot, "a check starts the bot many times, so it has to run on this machine")
    return program


async def _run(
    program: "BotProgram",
    steps: "Sequence[Step | ExitStep]",
    results: "list[StepResult]",
    folders: tuple[Path, Path],
    loop: "tuple[NodeClock, StampingSelector]",
    *,
    is_quiet: bool,
) -> int:
    """Run the steps and append their results. `folders` are those of the server and of the bots' output."""
    import os

    from arena.check.lab import open_lab
    from arena.check.report import result_lines
    from arena.config.server_config import ServerConfig
    from arena.runner.host import open_local_host
    from arena.telemetry import set_up_logging

    set_up_logging("info" if "ARENA_LOG_LEVEL" in os.environ else "critical")
    data, outputs = folders
    async with (
        open_local_host(ServerConfig(data, grace_s=0), *loop) as host,
        open_lab(host, program, outputs) as lab,
    ):
        for step in steps:
            result = await lab.run(program, step)
            results.append(result)
            if not is_quiet:
                for line in result_lines(result):
                    print(line, flush=True)
    return 0
