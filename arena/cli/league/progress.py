"""Shows the progress of a league: a live table on a terminal, otherwise a line at intervals."""

import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from rich.live import Live
from rich.table import Table

from arena.cli.console import print_status
from arena.cli.league.running_means import EntrantMean, RunningMeans
from arena.cli.league.status import progress_line
from arena.cli.match.progress import call_periodically
from arena.cli.result_console import stdout_console
from arena.organizer.play.block_dispatcher import BlockDispatcher
from arena.organizer.play.open_league import OpenLeague
from arena.organizer.view.league_text import describe_ledger_entry

LINE_INTERVAL_S: Final = 5.0
"""Seconds between two progress lines."""
TABLE_INTERVAL_S: Final = 1.0
"""Seconds between two updates of the live table."""
MAX_ROWS: Final = 20
"""Maximum number of rows of the live table, so that the table fits on a screen."""


@asynccontextmanager
async def show_progress(league: OpenLeague, dispatcher: BlockDispatcher, is_quiet: bool) -> AsyncIterator[None]:
    """Show the progress of a league while the body runs. `dispatcher` plays the league."""
    began, games_before, means, incidents = (
        time.monotonic(),
        league.ledger.game_count,
        RunningMeans(league),
        _IncidentPrinter(league),
    )

    def line(best: Sequence[EntrantMean]) -> str:
        names = list(dispatcher.awaited_bots)
        return progress_line(league, best, time.monotonic() - began, games_before, names, time.time())

    def print_line() -> None:
        incidents.print_new()
        print_status(line(means.best_first()))

    def table() -> Table:
        incidents.print_new()
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
            async with call_periodically(print_line, LINE_INTERVAL_S):
                yield
    finally:
        incidents.print_new()


class _IncidentPrinter:
    """Prints the ledger entries that have been added since the last call."""

    def __init__(self, league: OpenLeague) -> None:
        self._entries, self._bots = league.ledger.acts, league.file.bots
        self._printed_count = len(self._entries)

    def print_new(self) -> None:
        """Print a line for each new entry that has a description."""
        new, self._printed_count = self._entries[self._printed_count :], len(self._entries)
        for entry in new:
            if sentence := describe_ledger_entry(entry, self._bots):
                print_status(sentence)


def _build_table(means: Sequence[EntrantMean], title: str) -> Table:
    """Return a table of the best entrants so far. Only the final table and `status` have confidence intervals."""
    table = Table("", "bot", "games", "score", "mean place", title=title)
    for place, mean in enumerate(means[:MAX_ROWS], 1):
        table.add_row(str(place), mean.name, str(mean.games), f"{mean.score:+.3f}", f"{mean.place:.2f}")
    return table
