"""Declares `arena compare`."""

import asyncio
from functools import partial

import typer

from arena.cli.compare.options import CompareOptions, CompareSetup
from arena.cli.option_groups import with_option_groups

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
@with_option_groups
def compare(options: CompareOptions, setup: CompareSetup) -> int:
    """Both bots play the same seats of the same deals against the same opponents. A sequential test stops as soon as
    the answer is clear.

    Exit codes: 0 yes; 1 no; 2 undecided at the end of the budget; 3 a bot did not start or has too many faults; 64
    invalid request; 70 internal error; 75 the machine was too unsteady, or a file is locked or cannot be written; 77
    boxes do not hold here; 130 stopped (the same command resumes).
    """
    from arena.cli.bot_argument import find_program
    from arena.cli.compare.request import CompareRequest
    from arena.cli.compare.run import CompareRun
    from arena.cli.signals import run_until_stopped

    setup.files.check_distinct()
    find = partial(find_program, data=options.submitted_from or setup.data, is_untrusted=options.untrusted)
    run = CompareRun(CompareRequest(options, find), setup)
    return asyncio.run(run_until_stopped(run.play(), run.interruption_message))
