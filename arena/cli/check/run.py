"""Runs the steps of a check, shows what is being done and with what result, and writes the results for CI."""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from arena.author.check.lab import open_lab
from arena.author.check.report import expectation_of, result_lines, results_as_dict, step_lines, summary
from arena.author.check.step import ExitStep, Step, StepResult, Verdict, silent_bot_result
from arena.author.check.steps import STEPS
from arena.bots.launch.programs import BotProgram
from arena.cli.bot_argument import find_program
from arena.cli.command_settings import set_up_command
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.junit import JunitCase, junit_document
from arena.cli.output_file import check_writable, write_file
from arena.cli.present import present, print_lines
from arena.cli.signals import run_until_stopped
from arena.errors import BotStartError, OptionError, RequestError, UnknownNameError
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes, listen_for_boxes
from arena.fleet.runner.host import open_local_host
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector

_STEP_S: Final = 2.6
"""Seconds that a step takes on average; two of three take half as long, and some wait for the bot to give up."""


@dataclass
class CheckRun:
    bot: str
    names: Sequence[str]
    """Names and patterns of the steps; all if there are none."""
    junit: Path | None
    data: Path | None
    is_untrusted: bool
    is_json: bool
    results: list[StepResult] = field(default_factory=list)

    @cached_property
    def steps(self) -> Sequence[Step | ExitStep]:
        """Raises UnknownNameError."""
        for name in self.names:
            if not any(fnmatchcase(each.name, name) for each in STEPS):
                raise UnknownNameError("step", name, [each.name for each in STEPS])
        return [each for each in STEPS if not self.names or any(fnmatchcase(each.name, name) for name in self.names)]

    @cached_property
    def program(self) -> BotProgram:
        """Raises RequestError if no bot is given or it is remote, and BotStartError if there is no such bot."""
        if not self.bot:
            raise RequestError("BOT: expected a bot, unless --list is given")
        program = find_program(self.bot, self.data, is_untrusted=self.is_untrusted)
        if not isinstance(program, BotProgram):
            raise OptionError("BOT", self.bot, "a check starts the bot many times, so it has to run on this machine")
        return program

    @cached_property
    def settings(self) -> ServerConfig:
        return set_up_command(self.data, "critical")

    @property
    def outputs(self) -> Path:
        return self.settings.data.absolute() / "bots"

    def list_steps(self) -> ExitCode:
        """Raises UnknownNameError."""
        print_lines(line for step in self.steps for line in step_lines(step, _output_width()))
        return ExitCode.YES

    def play(self) -> ExitCode:
        """Raises UnknownNameError, RequestError for a bot that cannot be checked, EnvironmentFaultError if the file for
        the results cannot be written, and BotStartError if the program is missing or cannot be built. After the results
        so far have been shown, raises BotStartError if a bot cannot be started, and Interrupted at a stop signal.
        """
        steps, name = format_count(len(self.steps), "step"), self.program.name
        if self.junit is not None:
            check_writable(self.junit)
        if not self.is_json:
            print_status(f"{name}: {steps}, about {format_rough_duration(_STEP_S * len(self.steps))}")
        with TemporaryDirectory(prefix="arena-check-") as folder:
            try:
                run_node_loop(
                    lambda clock, selector: run_until_stopped(
                        self._run_steps(Path(folder), clock, selector), self._show_finished_steps
                    )
                )
            except BotStartError:
                if self.results:
                    self._show()
                raise
        self._show()
        verdicts = {result.verdict for result in self.results}
        if Verdict.FAILED in verdicts:
            return ExitCode.NO
        return ExitCode.UNDECIDED if Verdict.NOT_REACHED in verdicts else ExitCode.YES

    async def _run_steps(self, data: Path, clock: NodeClock, selector: StampingSelector) -> None:
        """Run the steps in order. A bot that cannot start is the last result.

        Raises BotStartError for it, and if the program cannot be built.
        """
        boxes = await asyncio.to_thread(
            choose_boxes, [BotEntrant(self.program.name, self.program)], self.settings.boxes
        )
        async with AsyncExitStack() as stack:
            config = stack.enter_context(listen_for_boxes(ServerConfig(data, grace_s=0), boxes))
            host = await stack.enter_async_context(open_local_host(config, clock, selector))
            lab = await stack.enter_async_context(open_lab(host, self.program, self.outputs))
            for number, step in enumerate(self.steps, 1):
                try:
                    with self._show_step(f"{step.name} ({number} of {len(self.steps)})"):
                        result = silent_bot_result(step, self.results) or await lab.run(self.program, step)
                except BotStartError as error:
                    self._add(StepResult(step, Verdict.NOT_STARTED, note=str(error)))
                    raise
                self._add(result)

    def _add(self, result: StepResult) -> None:
        self.results.append(result)
        if not self.is_json:
            print(*result_lines(result, _output_width()), sep="\n", flush=True)

    @contextmanager
    def _show_step(self, text: str) -> Iterator[None]:
        """Show on a terminal what is being done."""
        if self.is_json or not sys.stderr.isatty():
            yield
            return
        with Console(stderr=True, highlight=False, markup=False).status(text):
            yield

    def _show_finished_steps(self) -> str:
        """Show the results so far, and return how many steps have run, in words."""
        self._show()
        return f"{len(self.results)} of {format_count(len(self.steps), 'step')} run"

    def _show(self) -> None:
        """Write the results for CI, if asked for, and then to stdout. Raises EnvironmentFaultError."""
        if self.junit is not None:
            cases = [_junit_case(result) for result in self.results]
            document = junit_document(f"arena check {self.program.name}", cases, time.time())
            write_file(self.junit, document)
        line = f"{summary(self.results)}; the bot's output is in {self.outputs}"
        present(results_as_dict(self.program.name, self.results), self.is_json, [line])


def _junit_case(result: StepResult) -> JunitCase:
    """A step that was not reached counts as skipped."""
    failure = "\n".join(f"expected: {expectation_of(each.rule)}; came: {each.came}" for each in result.findings)
    skipped = f"{result.verdict}: {result.note}" if result.verdict in {Verdict.SKIPPED, Verdict.NOT_REACHED} else ""
    error = result.note if result.verdict is Verdict.NOT_STARTED else ""
    return JunitCase(result.step.name, result.seconds, failure=failure, error=error, skipped=skipped)


def _output_width() -> int | None:
    """Columns of the terminal; None if the output does not go to one."""
    return get_terminal_size().columns if sys.stdout.isatty() else None
