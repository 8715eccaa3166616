"""Runs a demo: several matches between the same bots, with the standings and one game told while they are played."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.match.demo_result import DemoResult
from arena.cli.match.host import NOTHING_KEPT_TEXT, collect_diagnostics, open_host, show_finished_games
from arena.cli.match.progress import call_periodically, overview_of, show_progress
from arena.cli.match.recorded_play import read_recorded_play
from arena.cli.match.story import LINE_INTERVAL_S, StoryTeller
from arena.cli.table_text import render_table
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.match_bots import MatchBots, launch_bots
from arena.fleet.runner.runner import run_all
from arena.fleet.runner.split_orders import derive_seed
from arena.games.catalogue import watched_game_of
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import snapshot_message
from arena.server.node.event_loop import NodeClock, StampingSelector

MAX_CONCURRENT_MATCHES: Final = 2
"""Maximum number of matches that are played at the same time."""

JOIN_TIMEOUT_S: Final = 60.0
"""Seconds that a remote bot has to connect."""

_STORY_TIME_S: Final = 11.0
"""If all games are over earlier, lines are told at most until this many seconds after the start of the run."""


class DemoRun:
    """All matches of a demo."""

    def __init__(self, players: Sequence[BotEntrant], order: MatchOrder, data: Path | None, is_json: bool) -> None:
        self._players = players
        self._order = order
        self._data = data
        self._is_json = is_json
        self._reports: list[MatchReport] = []
        self._story: StoryTeller | None = None
        self._story_end = time.monotonic() + _STORY_TIME_S
        self._result: DemoResult | None = None

    async def play(self, clock: NodeClock, selector: StampingSelector) -> ExitCode:
        """Play, show the result and return the exit code."""
        order, names = self._order, self._order.entrants
        overview = overview_of(order, self._reports)
        async with (
            open_host("", self._data, 0, self._players, (clock, selector)) as host,
            launch_bots(host, self._players, JOIN_TIMEOUT_S, print_status) as bots,
        ):
            try:
                async with show_progress(
                    overview, host.running_matches, self._is_json, lambda: self._draw_table(host)
                ) as put_line:
                    await (self._play_all(bots) if put_line is None else self._play_and_tell(host, bots, put_line))
            finally:
                result = self._result = DemoResult(order, self._reports, collect_diagnostics(host, bots, names))
        diagnostics = result.diagnostics
        play = await read_recorded_play(diagnostics.data, names, order.game, self._reports, diagnostics.outputs)
        told = None if self._story is None else self._story.match_id
        result = self._result = replace(result, play=play, told=told)
        result.show(self._is_json)
        return ExitCode.BOT_FAILED if result.diagnostics.losses else ExitCode.YES

    def show_finished_games(self) -> str:
        """Show the finished games of an interrupted run. Return a text that says where they are."""
        return NOTHING_KEPT_TEXT if self._result is None else show_finished_games(self._result, self._is_json)

    def _draw_table(self, host: Host) -> RenderableType | None:
        """Return the table of the told game, at the told line; before there is one, the oldest running table as it is.

        The table now is a sample: between two of them, fast bots play whole games. It costs one snapshot.
        """
        drawing = None if self._story is None else self._story.drawing
        if drawing is not None:
            return render_table(drawing)
        for referee in host.running_referees():
            message = snapshot_message(referee)
            if message is not None:
                table = LiveTable(watched_game_of)
                table.add(message)
                return render_table(table.drawing)
        return None

    async def _play_and_tell(self, host: Host, bots: MatchBots, put_line: Callable[[Text], None]) -> None:
        """Play all matches and tell the first game that ends, line by line."""
        story = self._story = StoryTeller(host.data, lambda: [*self._reports, *host.running_matches()], put_line)
        async with call_periodically(story.tell_next, LINE_INTERVAL_S):
            await self._play_all(bots)
        await story.finish(self._story_end)

    async def _play_all(self, bots: MatchBots) -> None:
        """Play the matches, a few at a time. The first error cancels all other matches."""
        slots = asyncio.Semaphore(MAX_CONCURRENT_MATCHES)

        async def play(order: MatchOrder) -> None:
            async with slots:
                await bots.play_match(order, self._reports)

        await run_all(play(order) for order in split_into_rotations(self._order))


def split_into_rotations(order: MatchOrder) -> list[MatchOrder]:
    """Split an order into matches in which every bot sits in every seat once. The last match may be shorter.

    If the order has a seed, each match gets a seed of its own, derived from the order's seed. So no match repeats the
    cards of another.
    """
    size = len(order.entrants)
    counts = [min(size, order.game_count - first) for first in range(0, order.game_count, size)]
    parts = []
    for index, count in enumerate(counts):
        seed = derive_seed(order.seed, index)
        parts.append(replace(order, game_count=count, seed=seed, key=f"{order.key}-{index}"))
    return parts
