"""`arena practice`: plays a bot against sample bots, and with `--chaos` under trouble."""

import typer

from arena.cli.option_groups import with_option_groups
from arena.cli.practice.optional_value import ChaosCommand
from arena.cli.practice.options import PracticeRequest, PracticeSetup, TroubleOptions

app = typer.Typer(rich_markup_mode="markdown")


@app.command(cls=ChaosCommand)
@with_option_groups
def practice(trouble: TroubleOptions, request: PracticeRequest, setup: PracticeSetup) -> int:
    """Play a bot against sample bots, and measure what trouble costs it.

    The games run on a real server on this machine and are not rated. With --chaos, the same games are played again
    under each kind of trouble, and the table compares each kind with a quiet phase. To see who plays better, use `arena
    match`; to learn which rules of the protocol a bot breaks, use `arena check`.

    Exit code 0 if the bot has no faults of its own, 1 if it has some, 3 if a bot does not start.
    """
    from arena.author.trouble.trouble import Trouble, parse_kinds
    from arena.cli.practice.run import PracticeRun, plan_practice
    from arena.cli.signals import run_until_stopped
    from arena.fleet.assembly.node import run_node_loop

    kinds = parse_kinds(trouble.chaos) if trouble.chaos else ()
    run = PracticeRun(plan_practice(trouble.bot, request, setup), [Trouble.QUIET, *kinds], is_json=setup.json)
    return run_node_loop(lambda clock, selector: run_until_stopped(run.play(clock, selector), run.show_finished_phases))
