"""What people see while a league is played: a live table on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from rich.live import Live
from rich.table import Table

from arena.cli.console import print_status, stdout_console
from arena.cli.league.running_means import EntrantMean, RunningMeans
from arena.cli.league.status import progress_line
from arena.cli.match.progress import call_periodically
from arena.hosting.play.bot_pool import BotPool
from arena.hosting.play.open_league import OpenLeague
from arena.hosting.view.ledger_text import describe_ledger_entry

LINE_INTERVAL_S: Final = 5.0
"""Seconds between two lines."""
TABLE_INTERVAL_S: Final = 1.0
"""Seconds between two tables."""
MAX_ROWS: Final = 20
"""Rows of the live table: no more fit on a screen."""


@asynccontextmanager
async def show_progress(league: OpenLeague, benches: Sequence[BotPool], is_quiet: bool) -> AsyncIterator[None]:
    """Show now and then how far a league has got that is played at these benches."""
    began, before, means, news = (
        time.monotonic(),
        league.ledger.game_count,
        RunningMeans(league),
        _IncidentPrinter(league),
    )

    def line(best: Sequence[EntrantMean]) -> str:
        awaited = [name for bench in benches for name in bench.pending_remotes]
        return progress_line(league, best, time.monotonic() - began, before, awaited)

    def say_line() -> None:
        news.print_new()
        print_status(line(means.best_first()))

    def table() -> Table:
        news.print_new()
        best = means.best_first()
        return _build_table(best, line(best))

    if is_quiet:
        yield
        return
    try:
        if sys.stdout.isatty():
            with Live(console=stdout_console(), auto_refresh=False, transient=True) as live:
                async with call_periodically(lambda: live.update(table(), refresh=True), TABLE_INTERVAL_S):
                    yield
        else:
            async with call_periodically(say_line, LINE_INTERVAL_S):
                yield
    finally:
        news.print_new()


class _IncidentPrinter:
    """What has happened since somebody was told last."""

    def __init__(self, league: OpenLeague) -> None:
        self._acts, self._bots = league.ledger.acts, league.file.bots
        self._told = len(self._acts)

    def print_new(self) -> None:
        """Say it, a line each."""
        new, self._told = self._acts[self._told :], len(self._acts)
        for act in new:
            if sentence := describe_ledger_entry(act, self._bots):
                print_status(sentence)


def _build_table(means: Sequence[EntrantMean], title: str) -> Table:
    """The best so far; intervals come with the end, and with `status`."""
    table = Table("", "bot", "games", "score", "mean place", title=title)
    for place, mean in enumerate(means[:MAX_ROWS], 1):
        table.add_row(str(place), mean.name, str(mean.games), f"{mean.score:+.3f}", f"{mean.place:.2f}")
    return table
