"""Formats the result of a demo, and suggests what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.cli.console import print_json
from arena.cli.match.play_table import plays_as_dict
from arena.cli.match.recorded_play import RecordedPlay
from arena.cli.match.replay_hint import replay_command
from arena.cli.match.result import RunDiagnostics, game_as_dict, print_plays, standings_table, totals_as_dict
from arena.cli.match.totals import EntrantTotals, rank_entrants
from arena.games.catalogue import PACKS, pack_of
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import MatchId
from arena.plurals import format_count
from arena.typed_command import arena_command


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The result of several matches between the same bots."""

    order: MatchOrder
    reports: Sequence[MatchReport]
    diagnostics: RunDiagnostics
    play: RecordedPlay = field(default_factory=RecordedPlay)
    """How the bots played; empty if the demo was stopped."""
    told: MatchId | None = None
    """The match whose first game was told move by move; None if none was told."""

    def show(self, is_json: bool) -> None:
        """Write the result to stdout."""
        standings = rank_entrants(self.order.entrants, self.reports)
        if is_json:
            print_json(self._as_dict(standings))
            return
        from arena.cli.result_console import stdout_console

        console = stdout_console()
        games = sum(len(report.games) for report in self.reports)
        title = f"{format_count(games, 'game')} of {self.order.game}, {self.order.preset}"
        print_plays(console, self.play, standings)
        console.print()
        console.print(standings_table(standings, self.order.game, title))  # late, so that the last screen has them
        for line in (*self.diagnostics.remarks(standings), *self._next_steps()):
            console.print(line, soft_wrap=True)

    def _next_steps(self) -> Iterator[str]:
        """Yield three things to do next, each with its command on a line of its own."""
        finished = [report.match_id for report in self.reports if report.games]
        if not finished:
            return
        order, sample = self.order, pack_of(self.order.game).default_opponents[0]
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

    def _as_dict(self, standings: Sequence[EntrantTotals]) -> dict[str, Any]:
        return {
            "game": self.order.game,
            "preset": self.order.preset,
            "entrants": list(self.order.entrants),
            "standings": [totals_as_dict(standing, self.order.game) for standing in standings],
            "plays": plays_as_dict(self.play.plays),
            "matches": [
                {"match_id": report.match_id, "games": [game_as_dict(game) for game in report.games]}
                for report in self.reports
            ],
            **self.diagnostics.as_dict(),
        }
