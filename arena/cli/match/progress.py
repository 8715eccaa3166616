"""Shows the progress of a run: a live table on a terminal, otherwise a line at intervals."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from arena.cli.console import print_status
from arena.cli.match.standings import lengths_of, rank_entrants, standings_table, stopped_text
from arena.cli.result_console import stdout_console
from arena.cli.table_text import WIDE_COLUMNS, stand_side_by_side
from arena.games.catalogue import games
from arena.match.referee.game_lengths import turn_limit_of
from arena.match.referee.match_order import MatchOrder, MatchReport, terms_from_order
from arena.match.referee.ports import MatchId
from arena.plurals import format_count

_REFRESH_INTERVAL_S = 0.25
_ROWS_FOR_BOTH = 34
"""Rows of a terminal that shows a table of four seats and the standings, and some printed lines above."""
_LINE_INTERVAL_S = 5.0
"""Minimum seconds between two lines if stdout is not a terminal."""

RunningReports = Callable[[], Sequence[MatchReport]]


@dataclass(frozen=True, slots=True)
class RunOverview:
    game: str
    names: Sequence[str]
    game_count: int
    reports: list[MatchReport]
    """Reports on finished matches. The list grows during the run."""
    turn_limit: int | None = None
    """The number of turns after which the rules stop a game; None if they do not, or if it is unknown."""

    def stopped_text(self, reports: Sequence[MatchReport]) -> str:
        """Return how many of the finished games in these reports ended at the turn limit; empty if none did."""
        return stopped_text(lengths_of(reports, self.turn_limit))


def overview_of(order: MatchOrder, reports: list[MatchReport], match_count: int = 1) -> RunOverview:
    """`reports` is the list to which finished matches are added."""
    limit = turn_limit_of(terms_from_order(order, games()))
    return RunOverview(order.game, order.entrants, order.game_count * match_count, reports, limit)


@asynccontextmanager
async def show_progress(
    overview: RunOverview,
    running: RunningReports,
    is_quiet: bool,
    draw_more: Callable[[], RenderableType | None] = lambda: None,
) -> AsyncIterator[Callable[[Text], None] | None]:
    """Show the progress while the body runs. `running` is called at intervals to get reports on running matches.

    On a terminal, yield a function that prints a line above the live table; otherwise yield None. On a terminal, what
    `draw_more` returns is shown above the standings, or beside them if there is room.
    """
    progress = _RunProgress(overview, running)
    if is_quiet:
        yield None
    elif sys.stdout.isatty():
        with Live(console=stdout_console(), auto_refresh=False, transient=True) as live:

            def draw() -> None:
                live.update(progress.draw(live.console, draw_more()), refresh=True)

            def put_line(text: Text) -> None:
                draw()  # the line is printed above this table, which belongs to the same instant
                live.console.print(text)

            async with call_periodically(draw, _REFRESH_INTERVAL_S):
                yield put_line
    else:
        async with call_periodically(progress.print_if_new, _REFRESH_INTERVAL_S):
            yield None


@asynccontextmanager
async def call_periodically(act: Callable[[], object], every_s: float) -> AsyncIterator[None]:
    async def repeat() -> None:
        while True:
            act()
            await asyncio.sleep(every_s)

    task = asyncio.ensure_future(repeat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class _RunProgress:
    """The latest report on each match, so that an ended match stays visible until it is stored."""

    def __init__(self, overview: RunOverview, running: RunningReports) -> None:
        self._overview = overview
        self._running = running
        self._latest: dict[MatchId, MatchReport] = {}
        self._printed_games = 0
        self._next = time.monotonic()

    def draw(self, console: Console, more: RenderableType | None) -> RenderableType:
        """Without room for the standings, `more` and the lines printed above, `more` and the title remain."""
        reports, games = self._read_reports()
        counted = f"game {games} of {self._overview.game_count}"
        title = "\n".join(filter(None, [counted, self._overview.stopped_text(reports)]))  # the table may be narrow
        standings = standings_table(rank_entrants(self._overview.names, reports), self._overview.game, title)
        if more is None:
            return standings
        if console.width >= WIDE_COLUMNS:
            return stand_side_by_side(more, standings)
        return Group("", more, "", standings if console.height >= _ROWS_FOR_BOTH else Text(title))

    def print_if_new(self) -> None:
        """Print a line if games have ended and enough time has passed since the last line."""
        reports, games = self._read_reports()
        if games == self._printed_games or time.monotonic() < self._next:
            return
        self._printed_games, self._next = games, time.monotonic() + _LINE_INTERVAL_S
        standings = rank_entrants(self._overview.names, reports)
        places = ", ".join(f"{standing.name} {standing.mean_place:.2f}" for standing in standings)
        counted = f"{games} of {format_count(self._overview.game_count, 'game')}"
        print_status("; ".join(filter(None, [counted, self._overview.stopped_text(reports), f"mean places: {places}"])))

    def _read_reports(self) -> tuple[list[MatchReport], int]:
        """Return the latest report on every match, and the number of games that have ended."""
        finished = {report.match_id: report for report in self._overview.reports}
        self._latest |= {report.match_id: report for report in self._running()}
        reports = list((self._latest | finished).values())
        return reports, sum(len(report.games) for report in reports)
