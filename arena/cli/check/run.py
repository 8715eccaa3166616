"""Runs the steps of a check, and shows what is being done and with what result."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from shutil import get_terminal_size
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from arena.author.check.lab import open_lab
from arena.author.check.report import result_lines
from arena.author.check.step import StepResult, Verdict
from arena.author.check.verdicts import silent_bot_result
from arena.cli.check.request import CheckRequest
from arena.cli.console import print_status
from arena.cli.signals import run_until_stopped
from arena.errors import BotStartError
from arena.fleet.assembly.node import run_node_loop
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxes import choose_boxes, listen_for_boxes
from arena.fleet.runner.host import open_local_host
from arena.fleet.telemetry import set_up_logging
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration
from arena.server.config.read_config import read_config
from arena.server.config.server_config import ServerConfig
from arena.server.node.event_loop import NodeClock, StampingSelector

_STEP_S: Final = 2.6
"""Seconds that a step takes on average; two of three take half as long, and some wait for the bot to give up."""


def run_check(
    request: CheckRequest, show: Callable[[Sequence[StepResult]], None], *, is_quiet: bool
) -> list[StepResult]:
    """Run the steps on a server in this process, then show and return their results.

    If `is_quiet`, only `show` prints. Raises BotStartError if the program cannot be built. After the results so far
    have been shown, raises BotStartError if a bot cannot be started, and Interrupted at a stop signal.
    """
    results: list[StepResult] = []

    def show_finished_steps() -> str:
        show(results)
        return f"{len(results)} of {format_count(len(request.steps), 'step')} run"

    if not is_quiet:
        duration = format_rough_duration(_STEP_S * len(request.steps))
        print_status(f"{request.program.name}: {format_count(len(request.steps), 'step')}, about {duration}")
    with TemporaryDirectory(prefix="arena-check-") as folder:
        try:
            run_node_loop(
                lambda clock, selector: run_until_stopped(
                    _run(request, Path(folder), results, (clock, selector), is_quiet=is_quiet),
                    show_finished_steps,
                )
            )
        except BotStartError:
            if results:
                show(results)
            raise
    show(results)
    return results


async def _run(
    request: CheckRequest,
    data: Path,
    results: list[StepResult],
    loop: tuple[NodeClock, StampingSelector],
    *,
    is_quiet: bool,
) -> int:
    """Run the steps and append their results. `data` is the folder of the server.

    Raises BotStartError if the program cannot be built, or a bot cannot be started. The latter is the last result.
    """

    def add(result: StepResult) -> None:
        results.append(result)
        if not is_quiet:
            print(*result_lines(result, output_width()), sep="\n", flush=True)

    set_up_logging("info" if "ARENA_LOG_LEVEL" in os.environ else "critical")
    entrant, settings = BotEntrant(request.program.name, request.program), read_config()
    boxes = await asyncio.to_thread(choose_boxes, [entrant], settings.boxes)
    async with AsyncExitStack() as stack:
        config = stack.enter_context(listen_for_boxes(ServerConfig(data, grace_s=0), boxes))
        host = await stack.enter_async_context(open_local_host(config, *loop))
        lab = await stack.enter_async_context(open_lab(host, request.program, request.outputs))
        for number, step in enumerate(request.steps, 1):
            try:
                with _show_step(f"{step.name} ({number} of {len(request.steps)})", is_quiet=is_quiet):
                    result = silent_bot_result(step, results) or await lab.run(request.program, step)
            except BotStartError as error:
                add(StepResult(step, Verdict.NOT_STARTED, note=str(error)))
                raise
            add(result)
    return 0


@contextmanager
def _show_step(text: str, *, is_quiet: bool) -> Iterator[None]:
    """Show on a terminal what is being done."""
    if is_quiet or not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True, highlight=False, markup=False).status(text):
        yield


def output_width() -> int | None:
    """Return the number of columns of the terminal; None if the output does not go to a terminal."""
    return get_terminal_size().columns if sys.stdout.isatty() else None
