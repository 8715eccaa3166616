"""What people see while games are played: a live table on a terminal, a line now and then elsewhere."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from rich.live import Live

from arena.cli.console import print_status, stdout_console
from arena.cli.match.result import standings_table
from arena.cli.match.totals import rank_entrants
from arena.match.match_order import MatchReport
from arena.match.ports import MatchId

_REFRESH_INTERVAL_S = 0.25
_LINE_INTERVAL_S = 5.0
"""Seconds between two lines where there is no terminal."""

RunningReports = Callable[[], Sequence[MatchReport]]


@dataclass(frozen=True, slots=True)
class RunOverview:
    """What is played in one run."""

    game: str
    names: Sequence[str]
    game_count: int
    reports: list[MatchReport]
    """Of the matches that are over; grows."""


@asynccontextmanager
async def show_progress(played: RunOverview, running: RunningReports, is_quiet: bool) -> AsyncIterator[None]:
    """Show the progress meanwhile; `running` is asked on a timer how the matches stand that are not over."""
    news = _LatestReports(played, running)
    if is_quiet:
        yield
    elif sys.stdout.isatty():
        with Live(console=stdout_console(), auto_refresh=False, transient=True) as live:
            async with call_periodically(lambda: _draw(live, played, news), _REFRESH_INTERVAL_S):
                yield
    else:
        async with call_periodically(_LinePrinter(played, news).print_if_new, _REFRESH_INTERVAL_S):
            yield


@asynccontextmanager
async def call_periodically(act: Callable[[], object], every_s: float) -> AsyncIterator[None]:
    """Do something again and again meanwhile."""

    async def work() -> None:
        while True:
            act()
            await asyncio.sleep(every_s)

    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class _LatestReports:
    """How all matches stand. One that is over and not kept yet runs nowhere, and stands as it last stood."""

    def __init__(self, played: RunOverview, running: RunningReports) -> None:
        self._played = played
        self._running = running
        self._latest: dict[MatchId, MatchReport] = {}

    def reports(self) -> list[MatchReport]:
        """Of every match what is known last."""
        self._latest |= {report.match_id: report for report in self._running()}
        over = {report.match_id: report for report in self._played.reports}
        return list((self._latest | over).values())


def _draw(live: Live, played: RunOverview, news: _LatestReports) -> None:
    reports = news.reports()
    title = f"game {_finished_game_count(reports)} of {played.game_count}"
    live.update(standings_table(rank_entrants(played.names, reports), played.game, title), refresh=True)


class _LinePrinter:
    """A line when games have ended, not too often."""

    def __init__(self, played: RunOverview, news: _LatestReports) -> None:
        self._played = played
        self._news = news
        self._told = 0
        self._next = time.monotonic()

    def print_if_new(self) -> None:
        """Tell what is new."""
        reports = self._news.reports()
        games = _finished_game_count(reports)
        if games == self._told or time.monotonic() < self._next:
            return
        self._told, self._next = games, time.monotonic() + _LINE_INTERVAL_S
        standings = rank_entrants(self._played.names, reports)
        places = ", ".join(f"{standing.name} {standing.mean_place:.2f}" for standing in standings)
        print_status(f"{games} of {self._played.game_count} games; mean places: {places}")


def _finished_game_count(reports: Sequence[MatchReport]) -> int:
    return sum(len(report.games) for report in reports)
