"""Runs a demo: several matches between the same bots, with the standings and one game told while they are played."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.text import Text

from arena.cli.exit_codes import ExitCode
from arena.cli.match.options import MatchSetup
from arena.cli.match.progress import call_periodically, overview_of, show_progress
from arena.cli.match.recorded_play import plays_as_dict
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.cli.match.run import SingleNodeRun
from arena.cli.match.standings import FaultLimit, standings_table, totals_as_dict
from arena.cli.match.story import LINE_INTERVAL_S, StoryTeller
from arena.cli.table_text import render_table
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.host import Host
from arena.fleet.runner.match_bots import MatchBots
from arena.fleet.runner.split_orders import derive_seed
from arena.games.catalogue import PACKS, pack_of, watched_game_of
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.ports import MatchId
from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import snapshot_message
from arena.typed_command import arena_command

MAX_CONCURRENT_MATCHES: Final = 2

_STORY_TIME_S: Final = 11.0
"""If all games are over earlier, lines are told at most until this many seconds after the start of the run."""


class DemoRun(SingleNodeRun):
    def __init__(self, players: Sequence[BotEntrant], order: MatchOrder, data: Path | None, is_json: bool) -> None:
        setup = MatchSetup(data=data, at_once=MAX_CONCURRENT_MATCHES, json=is_json)
        super().__init__(players, order, split_into_rotations(order), setup, FaultLimit())
        self._story: StoryTeller | None = None
        self._story_end = time.monotonic() + _STORY_TIME_S

    async def _play_and_show(self, host: Host, bots: MatchBots) -> None:
        """On a terminal, tell the first game that ends, line by line."""
        overview = overview_of(self.order, self.reports)
        async with show_progress(
            overview, host.running_matches, self.setup.json, lambda: self._draw_table(host)
        ) as put_line:
            await (self._play_all(bots) if put_line is None else self._play_and_tell(host, bots, put_line))

    async def _play_and_tell(self, host: Host, bots: MatchBots, put_line: Callable[[Text], None]) -> None:
        story = self._story = StoryTeller(host.data, lambda: [*self.reports, *host.running_matches()], put_line)
        async with call_periodically(story.tell_next, LINE_INTERVAL_S):
            await self._play_all(bots)
        await story.finish(self._story_end)

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

    def _build_result(self, diagnostics: RunDiagnostics) -> MatchResult:
        told = None if self._story is None else self._story.match_id
        return DemoResult(self.order, self.reports, diagnostics, match_count=len(self.matches), told=told)


@dataclass(frozen=True, slots=True)
class DemoResult(MatchResult):
    told: MatchId | None = None
    """The match whose first game was told move by move; None if none was told."""

    @property
    def exit_code(self) -> ExitCode:
        """Faults are allowed."""
        return ExitCode.BOT_FAILED if self.diagnostics.losses else ExitCode.YES

    def parts(self, console: Console) -> Iterator[RenderableType]:  # noqa: ARG002  no line is wrapped
        games = sum(len(report.games) for report in self.reports)
        title = f"{format_count(games, 'game')} of {self.order.game}, {self.order.preset}"
        yield from self.play_tables()
        yield ""
        yield standings_table(self.standings, self.order.game, title)  # late, so that the last screen has it
        yield from self.diagnostics.remarks(self.standings)
        yield from self._next_steps()

    def _next_steps(self) -> Iterator[str]:
        """Yield three things to do next, each with its command on a line of its own."""
        finished = [report.match_id for report in self.reports if report.games]
        if not finished:
            return
        order, sample = self.order, pack_of(self.order.game).compare_opponents[0]
        match_id, which = (self.told, "the game that was told above") if self.told else (min(finished), "a game")
        game = () if order.game == next(iter(PACKS)) else ("--game", order.game)
        table = ("--fill", sample, "--seats", len(order.entrants), "--games", 8)
        yield "What next?"
        yield f"  Read {which}, with every card and every answer:"
        yield f"    {replay_command(match_id, self.diagnostics.data, '--game', 0)}"
        yield "  Write a bot as in README.md, save it as mybot.py, and let it play:"
        yield f"    {arena_command('match', *game, '--bot', 'mybot.py', *table)}"
        yield "  Ask whether it is better than a sample:"
        yield f"    {arena_command('compare', *game, '--candidate', 'mybot.py', '--baseline', sample)}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "game": self.order.game,
            "preset": self.order.preset,
            "entrants": list(self.order.entrants),
            "standings": [totals_as_dict(standing, self.order.game) for standing in self.standings],
            "plays": plays_as_dict(self.play.plays),
            "matches": [{"match_id": each.match_id, "games": to_plain(each.games)} for each in self.reports],
            **self.diagnostics.as_dict(),
        }


def split_into_rotations(order: MatchOrder) -> list[MatchOrder]:
    """Split an order into matches in which every bot sits in every seat once. The last match may be shorter.

    If the order has a seed, each match gets a seed of its own, derived from the order's seed. So no match repeats the
    cards of another.
    """
    size = len(order.entrants)
    counts = [min(size, order.game_count - first) for first in range(0, order.game_count, size)]
    return [
        replace(order, game_count=count, seed=derive_seed(order.seed, index), key=f"{order.key}-{index}")
        for index, count in enumerate(counts)
    ]
