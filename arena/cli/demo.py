"""`arena demo`: lets the sample bots play a small league on a real server."""

from collections.abc import Sequence
from textwrap import fill
from typing import Annotated, Final

import typer

from arena.cli.console import discard_status, print_status
from arena.cli.options import GameOption, JsonOption, NewDataOption, RulesOptions
from arena.cli.ruleset_file import read_rules
from arena.plurals import format_count

_TEXT_WIDTH: Final = 80
_START_S: Final = 5.0
"""Seconds that a usual machine takes to start the server and four bots."""
_GAME_S: Final = 0.5
"""Seconds that a usual machine takes for a game between sample bots."""

app = typer.Typer(rich_markup_mode="markdown")


@app.command()
def demo(
    games: Annotated[int, typer.Option(min=1, max=10_000, help="Games to play.")] = 20,
    game: GameOption = "",
    preset: Annotated[
        str, typer.Option(help="Preset, or a rules file FILE.toml. Default: the game's first preset.")
    ] = "",
    bot: Annotated[
        list[str] | None,
        typer.Option(help="Bot to play instead of the samples; once per seat, at least twice."),
    ] = None,
    data: NewDataOption = None,
    seed: Annotated[str, typer.Option(metavar="HEX", help="Seed of all cards, up to 64 digits.")] = "",
    json: JsonOption = False,
) -> int:
    """The sample bots run as separate processes and play over gRPC, on a server at a free port of this machine. Several
    matches run at the same time, and all bots change seats after each game. On a terminal, one game is told move by
    move.
    """
    from arena.games.catalogue import pack_of, resolve_game_and_preset

    game, known_preset = resolve_game_and_preset(game, read_rules(preset).preset)
    pack = pack_of(game)
    if known_preset in pack.game.presets:  # otherwise the demo is refused below
        report = discard_status if json else print_status
        report(_opening_text(games, f"{game}, {known_preset}", bot or pack.samples))

    # These imports take a second, so they come after the opening text.
    from arena.cli.match.demo_run import DemoRun
    from arena.cli.match.options import GamesOptions, MatchRequest
    from arena.cli.match.order import build_order, find_players

    players = find_players(bot or pack.samples)
    request = MatchRequest(GamesOptions(games, seed=seed, unrated=True), RulesOptions(game, preset))
    order = build_order(request, players)
    return DemoRun(players, order, data, json).run()


def _opening_text(games: int, rules: str, bots: Sequence[str]) -> str:
    from arena.replays.narration.text_format import format_rough_duration, join_words

    names = join_words(bot.removeprefix("sample:") for bot in bots)
    duration = format_rough_duration(_START_S + games * _GAME_S)
    text = (
        f"Starting a server on this machine and the bots {names}. They play {format_count(games, 'game')} ({rules}),"
        f" which takes about {duration}. Place 1 is best, so a low mean place is good."
    )
    return fill(text, _TEXT_WIDTH, break_on_hyphens=False)
