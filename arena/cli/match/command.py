"""`arena match`: plays a few games between named bots and shows the results."""

import asyncio
from functools import partial

import typer

from arena.cli.match.options import MatchRequest, MatchSetup, PlayerOptions
from arena.cli.option_groups import with_option_groups

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
@with_option_groups
def match(bots: PlayerOptions, request: MatchRequest, setup: MatchSetup) -> int:
    """Play a match between bots that you name.

    Without --server, a server is started for this match only. Bots given as programs run as separate processes, which
    end with the match. No clock runs while they start.

    If a bot has faults in more than 1 % of its decisions, the exit code is 3.

    The games of a match are played one after the other. With --matches, several such matches are played at the same
    time by the same bot processes, and the results are added up.

    A large number of games is shared among several nodes, and each node plays its share as a match of its own. With
    --nodes 1 all games are one match.
    """
    from arena.cli.bot_argument import find_program
    from arena.cli.match.fault_limit import FaultLimit
    from arena.cli.match.order import build_order, choose_node_count, find_players
    from arena.cli.match.run import MultiNodeRun, SingleNodeRun
    from arena.cli.signals import run_until_stopped
    from arena.fleet.assembly.node import run_node_loop

    limit = FaultLimit(setup.max_strikes, request.pace.forgiving).check()
    find = partial(find_program, data=bots.submitted_from or setup.data, is_untrusted=bots.untrusted)
    players = find_players(bots.bot, bots.fill, bots.seats, find)
    order = build_order(request, players)
    count = request.games.matches
    node_count = choose_node_count(setup.nodes, order, players, setup.server, setup.port, count)
    if node_count > 1:
        several = MultiNodeRun(players, order, setup, limit, node_count)
        return asyncio.run(run_until_stopped(several.play(), several.show_finished_games))
    run = SingleNodeRun(players, order, setup, limit, count)
    return run_node_loop(lambda clock, selector: run_until_stopped(run.play(clock, selector), run.show_finished_games))
