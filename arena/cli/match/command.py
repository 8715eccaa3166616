"""`arena match`: a few games between bots that somebody names, results and replays."""

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

app = typer.Typer(rich_markup_mode="markdown")

_BOT_HELP: Final = (
    "A script, a folder or manifest (bot.toml), a quoted command, sample:NAME, or remote:NAME for one that dials in. "
    "Once for each seat; the same bot twice becomes NAME#1 and NAME#2."
)
_RULES_PANEL: Final = "Rules"
_PACE_PANEL: Final = "Pace"
_SETUP_PANEL: Final = "Where and how"


@app.command()
def match(  # noqa: PLR0913, PLR0917  each is an option of the command line
    bot: Annotated[list[str], typer.Option(help=_BOT_HELP)],
    fill: Annotated[str, typer.Option(metavar="BOT", help="Takes the seats that are left; needs --seats.")] = "",
    seats: Annotated[int, typer.Option(min=0, help="Seats at the table. Default: one for each --bot.")] = 0,
    games: Annotated[int, typer.Option(help="Games to play, 1 to 10000.")] = 1,
    seating: Annotated[
        str, typer.Option(help="rotated: everybody moves one seat on after each game. fixed: nobody does.")
    ] = "rotated",
    seed: Annotated[
        str, typer.Option(metavar="HEX", help="Decides all cards; up to 64 digits. Makes the match unrated.")
    ] = "",
    unrated: Annotated[bool, typer.Option("--unrated", help="The result counts nowhere.")] = False,
    game: Annotated[
        str, typer.Option(rich_help_panel=_RULES_PANEL, help="Which game; by default that of the preset.")
    ] = "",
    preset: Annotated[
        str,
        typer.Option(
            rich_help_panel=_RULES_PANEL,
            help="The rules to start from, or a file FILE.toml; by default the game's first.",
        ),
    ] = "",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="OPTION=VALUE", rich_help_panel=_RULES_PANEL, help="A rule that differs; repeatable."
        ),
    ] = None,
    pace: Annotated[
        str,
        typer.Option(rich_help_panel=_PACE_PANEL, help="sealed: in rounds, answers hidden. live: as at a real table."),
    ] = "sealed",
    turn_ms: Annotated[int | None, typer.Option(rich_help_panel=_PACE_PANEL, help="Milliseconds for a turn.")] = None,
    call_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE_PANEL, help="Milliseconds for a call window.")
    ] = None,
    min_call_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE_PANEL, help="live: milliseconds after a move without calls.")
    ] = None,
    intermission_ms: Annotated[
        int | None, typer.Option(rich_help_panel=_PACE_PANEL, help="Milliseconds between two games, at most.")
    ] = None,
    max_auto_moves: Annotated[
        int | None,
        typer.Option(rich_help_panel=_PACE_PANEL, help="Missed turns in a row that cost the seat; 0: never."),
    ] = None,
    reconnect_grace_ms: Annotated[
        int | None,
        typer.Option(rich_help_panel=_PACE_PANEL, help="Milliseconds a match that a lost bot is waited for."),
    ] = None,
    fixed_window: Annotated[
        bool,
        typer.Option(
            "--fixed-window", rich_help_panel=_PACE_PANEL, help="sealed: windows always last their whole time."
        ),
    ] = False,
    no_deadlines: Annotated[
        bool, typer.Option("--no-deadlines", rich_help_panel=_PACE_PANEL, help="Nothing is ever late. Unrated.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=_SETUP_PANEL, help="Data folder, made if missing. Default: ARENA_DATA, or else arena-data."
        ),
    ] = None,
    server: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            rich_help_panel=_SETUP_PANEL,
            help="Play on the server at host:port. Its organizer's token is in ARENA_TOKEN, or --data is its folder.",
        ),
    ] = "",
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=_SETUP_PANEL,
            help="Processes that share the games, each with its own copies of the bots. Default: one for each core, if "
            "there are games enough; one with --seed, --server, --port or a remote bot.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(rich_help_panel=_SETUP_PANEL, help="Port of our own server; 0: any free one.")
    ] = 0,
    join_time: Annotated[
        float, typer.Option(min=0, rich_help_panel=_SETUP_PANEL, help="Seconds that a remote bot has for dialling in.")
    ] = 60.0,
    show_output: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", rich_help_panel=_SETUP_PANEL, help="Show what this bot writes; repeatable."),
    ] = None,
    max_strikes: Annotated[
        int | None,
        typer.Option(min=0, rich_help_panel=_SETUP_PANEL, help="Exit with 3 if a bot has more faults than this."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", rich_help_panel=_SETUP_PANEL, help="Results as JSON.")] = False,
) -> int:
    """Play a few games between bots.

    Without --server, a server is started for this match alone. Bots that are named by a program run as processes of
    their own and are ended with the match; no clock runs while they start.

    Many games are shared by several nodes, which play one match each; --nodes 1 makes them one match.
    """
    from arena.app import run_node_loop
    from arena.cli.match.order import MatchRequest, build_order, choose_node_count, find_players
    from arena.cli.match.run import MatchSetup, MultiNodeRun, SingleNodeRun
    from arena.cli.signals import run_until_stopped

    settings: dict[str, int | bool | None] = {
        "turn_ms": turn_ms,
        "call_ms": call_ms,
        "min_call_ms": min_call_ms,
        "intermission_ms": intermission_ms,
        "max_auto_moves": max_auto_moves,
        "reconnect_grace_ms": reconnect_grace_ms,
        "fixed_window": fixed_window or None,
        "no_deadlines": no_deadlines or None,
    }
    players = find_players(bot, fill, seats)
    wishes = MatchRequest(game, preset, set_ or (), pace, settings, games, seating, seed, not unrated)
    order = build_order(wishes, players)
    setting = MatchSetup(data, server, port, join_time, show_output or (), json, max_strikes)
    node_count = choose_node_count(nodes, order, players, server, port)
    if node_count > 1:
        several = MultiNodeRun(players, order, setting, node_count)
        return asyncio.run(run_until_stopped(several.play(), several.show_finished_games))
    run = SingleNodeRun(players, order, setting)
    return run_node_loop(lambda clock, selector: run_until_stopped(run.play(clock, selector), run.show_finished_games))
