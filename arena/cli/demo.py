"""`arena demo`: lets the sample bots play a small league on a real server."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from arena.cli.exit_codes import ExitCode
from arena.cli.options import GameOption, JsonOption, NewDataOption

if TYPE_CHECKING:
    from arena.cli.match.result import DemoResult
    from arena.match.match_order import MatchOrder, MatchReport
    from arena.node.event_loop import NodeClock, StampingSelector
    from arena.runner.bot_entrant import BotEntrant
    from arena.runner.match_bots import MatchBots

app = typer.Typer(rich_markup_mode="markdown")

MAX_CONCURRENT_MATCHES: Final = 2
"""Maximum number of matches that are played at the same time."""

JOIN_TIMEOUT_S: Final = 60.0
"""Seconds that a remote bot has to connect."""


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
    """Watch the sample bots play a small league.

    The sample bots run as separate processes and play over gRPC, on a server at a free port of this machine. Several
    matches run at the same time, and all bots change seats after each game.
    """
    from arena.app import run_node_loop
    from arena.cli.match.options import GamesOptions, MatchRequest
    from arena.cli.match.order import build_order, find_players
    from arena.cli.options import RulesOptions
    from arena.cli.ruleset_file import read_rules
    from arena.cli.signals import run_until_stopped
    from arena.games.catalogue import pack_of, resolve_game_and_preset

    game, _ = resolve_game_and_preset(game, read_rules(preset).preset)
    players = find_players(bot or pack_of(game).samples)
    request = MatchRequest(GamesOptions(games, seed=seed, unrated=True), RulesOptions(game, preset))
    order = build_order(request, players)
    run = _DemoRun(players, order, data, json)
    return run_node_loop(lambda clock, selector: run_until_stopped(run.play(clock, selector), run.show_finished_games))


class _DemoRun:
    """All matches of a demo."""

    def __init__(self, players: "Sequence[BotEntrant]", order: "MatchOrder", data: Path | None, is_json: bool) -> None:
        self._players = players
        self._order = order
        self._data = data
        self._is_json = is_json
        self._reports: list[MatchReport] = []
        self._result: DemoResult | None = None

    async def play(self, clock: "NodeClock", selector: "StampingSelector") -> int:
        """Play, show the result and return the exit code."""
        from arena.cli.console import discard_status, print_status
        from arena.cli.match.host import collect_diagnostics, open_host
        from arena.cli.match.progress import RunOverview, show_progress
        from arena.cli.match.recorded_play import read_recorded_play
        from arena.cli.match.result import DemoResult
        from arena.runner.match_bots import launch_bots

        order, names, report = self._order, self._order.entrants, discard_status if self._is_json else print_status
        overview = RunOverview(order.game, names, order.game_count, self._reports)
        async with open_host("", self._data, 0, clock, selector) as host:
            report(f"starting {len(names)} bots to play {order.game_count} games on {host.address}")
            async with launch_bots(host, self._players, JOIN_TIMEOUT_S, print_status) as bots:
                try:
                    async with show_progress(overview, host.running_matches, self._is_json):
                        await self._play_all(bots)
                finally:
                    result = self._result = DemoResult(order, self._reports, collect_diagnostics(host, bots, names))
        play = await read_recorded_play(result.diagnostics.data, names, order.game, self._reports)
        result = self._result = replace(result, play=play)
        result.show(self._is_json)
        return ExitCode.BOT_FAILED if result.diagnostics.losses else ExitCode.YES

    def show_finished_games(self) -> str:
        """Show the finished games of an interrupted run. Return a text that says where they are."""
        from arena.cli.match.host import NOTHING_KEPT_TEXT, show_finished_games

        return NOTHING_KEPT_TEXT if self._result is None else show_finished_games(self._result, self._is_json)

    async def _play_all(self, bots: "MatchBots") -> None:
        """Play the matches, a few at a time. The first error cancels all other matches."""
        from arena.runner.concurrency import run_all

        slots = asyncio.Semaphore(MAX_CONCURRENT_MATCHES)

        async def play(order: "MatchOrder") -> None:
            async with slots:
                await bots.play_match(order, self._reports)

        await run_all(play(order) for order in split_into_rotations(self._order))


def split_into_rotations(order: "MatchOrder") -> "list[MatchOrder]":
    """Split an order into matches in which every bot sits in every seat once. The last match may be shorter.

    If the order has a seed, each match gets a seed of its own, derived from the order's seed. So no match repeats the
    cards of another.
    """
    size = len(order.entrants)
    counts = [min(size, order.game_count - first) for first in range(0, order.game_count, size)]
    parts = []
    for index, count in enumerate(counts):
        seed = sha256(order.seed + index.to_bytes(4, "big")).digest() if order.seed else b""
        parts.append(replace(order, game_count=count, seed=seed, key=f"{order.key}-{index}"))
    return parts
