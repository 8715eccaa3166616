"""What people see while games are played: a live table on a terminal, a line now and then elsewhere."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from rich.live import Live

from arena.app import RunningServer
from arena.cli.console import out, say
from arena.cli.report import standings_table
from arena.cli.standings import standings_of
from arena.match.archive import strikes_of
from arena.match.booking import Booking
from arena.rpc.client import MatchReport, PlayedGame

_REFRESH_S = 0.25
_LINE_S = 5.0
"""Seconds between two lines where there is no terminal."""


@dataclass(frozen=True, slots=True)
class Played:
    """What is played in one run."""

    game: str
    names: Sequence[str]
    game_count: int
    reports: list[MatchReport]
    """Of the matches that are over; grows."""


@asynccontextmanager
async def shown(played: Played, server: RunningServer | None, is_quiet: bool) -> AsyncIterator[None]:
    """Show the progress meanwhile, read off our own server on a timer."""
    if is_quiet:
        yield
    elif sys.stdout.isatty():
        with Live(console=out(), auto_refresh=False, transient=True) as live:
            async with _repeated(lambda: _draw(live, played, server)):
                yield
    else:
        async with _repeated(_Lines(played, server).tell):
            yield


@asynccontextmanager
async def _repeated(act: Callable[[], None]) -> AsyncIterator[None]:
    async def work() -> None:
        while True:
            act()
            await asyncio.sleep(_REFRESH_S)

    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _draw(live: Live, played: Played, server: RunningServer | None) -> None:
    reports = [*played.reports, *running_reports(server)]
    title = f"game {_games(reports)} of {played.game_count}"
    live.update(standings_table(standings_of(played.names, reports), played.game, title), refresh=True)


class _Lines:
    """A line when games have ended, not too often."""

    def __init__(self, played: Played, server: RunningServer | None) -> None:
        self._played = played
        self._server = server
        self._told = 0
        self._next = time.monotonic()

    def tell(self) -> None:
        """Tell what is new."""
        reports = [*self._played.reports, *running_reports(self._server)]
        games = _games(reports)
        if games == self._told or time.monotonic() < self._next:
            return
        self._told, self._next = games, time.monotonic() + _LINE_S
        standings = standings_of(self._played.names, reports)
        places = ", ".join(f"{standing.name} {standing.mean_place:.2f}" for standing in standings)
        say(f"{games} of {self._played.game_count} games; mean places: {places}")


def _games(reports: Sequence[MatchReport]) -> int:
    return sum(len(report.games) for report in reports)


def running_reports(server: RunningServer | None) -> list[MatchReport]:
    """How the matches stand that run on our own server; none where it is not ours."""
    return [] if server is None else [_running_report(booking) for booking in server.node.hall.bookings.values()]


def _running_report(booking: Booking) -> MatchReport:
    referee = booking.table.referee
    games = []
    for result in referee.results:
        places = dict(zip(result.entrants, result.places, strict=True))
        by_entrant = tuple(places[entrant] for entrant in range(len(places)))
        games.append(PlayedGame(result.game, by_entrant, result.termination, 0))
    figures = [
        {"decisions": float(c.decision_count), "think_s": c.think_us / 1e6 / max(1, c.decision_count)}
        for c in referee.conducts
    ]
    return MatchReport(booking.match_id, "running", tuple(games), "", strikes_of(referee), tuple(figures))
