"""Declares `arena match`."""

from functools import partial

import typer

from arena.cli.match.options import MatchRequest, MatchSetup, PlayerOptions
from arena.cli.option_groups import with_option_groups

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
@with_option_groups
def match(bots: PlayerOptions, request: MatchRequest, setup: MatchSetup) -> int:
    """Without --server, a server is started for this match only. Bots given as programs run as separate processes,
    which end with the match. No clock runs while they start.

    If a bot has faults in more than 1 % of its decisions, the exit code is 3.

    The games of a match are played one after the other. With --matches, several such matches are played at the same
    time by the same bot processes, and the results are added up.

    A large number of games is shared among several nodes, and each node plays its share as a match of its own. With
    --nodes 1 all games are one match.
    """
    from arena.cli.bot_argument import find_program
    from arena.cli.match.order import build_order, find_players
    from arena.cli.match.run import choose_run
    from arena.cli.match.standings import FaultLimit

    limit = FaultLimit(setup.max_strikes, request.pace.forgiving).check()
    find = partial(find_program, data=bots.submitted_from or setup.data, is_untrusted=bots.untrusted)
    players = find_players(bots.bot, bots.fill, bots.seats, find)
    return choose_run(players, build_order(request, players), setup, limit, request.games.matches).run()
