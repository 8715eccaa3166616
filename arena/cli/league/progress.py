"""Shows the progress of a league: a live table on a terminal, otherwise a line at intervals."""

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from rich.live import Live
from rich.table import Table

from arena.cli.console import print_status
from arena.cli.match.progress import call_periodically
from arena.cli.result_console import stdout_console
from arena.competition.league.model import BlockResult, RoundDate
from arena.competition.league.points import Tally, block_scores
from arena.competition.league.ports import OPEN
from arena.organizer.file.league_dates import describe_rounds, format_utc
from arena.organizer.play.block_dispatcher import BlockDispatcher
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.league_standings import regular_results
from arena.organizer.view.league_text import describe_ledger_entry
from arena.plurals import format_count, format_subject
from arena.replays.narration.text_format import format_rough_duration, join_words

LINE_INTERVAL_S: Final = 5.0
"""Seconds between two progress lines."""
TABLE_INTERVAL_S: Final = 1.0
"""Seconds between two updates of the live table."""
MAX_ROWS: Final = 20
"""Maximum number of rows of the live table, so that the table fits on a screen."""
MAX_NAMES: Final = 3
"""Maximum number of entrants in a progress line."""


@dataclass(frozen=True, slots=True)
class EntrantMean:
    name: str
    games: int
    score: float
    place: float


@asynccontextmanager
async def show_progress(
    league: OpenLeague, dispatcher: BlockDispatcher, describe_place: Callable[[], str], is_quiet: bool
) -> AsyncIterator[None]:
    """`dispatcher` plays the league; each progress line ends with what `describe_place` returns."""
    if is_quiet:
        yield
        return
    began, games_before, means = time.monotonic(), league.ledger.game_count, RunningMeans(league)
    entries, told = league.ledger.acts, len(league.ledger.acts)

    def print_incidents() -> None:
        """Print a line for each ledger entry that is new and has a description."""
        nonlocal told
        new, told = entries[told:], len(entries)
        for entry in new:
            if sentence := describe_ledger_entry(entry, league.file.bots):
                print_status(sentence)

    def line(best: Sequence[EntrantMean]) -> str:
        names = list(dispatcher.awaited_bots)
        return (
            progress_line(league, best, time.monotonic() - began, games_before, names, time.time()) + describe_place()
        )

    def print_line() -> None:
        print_incidents()
        print_status(line(means.best_first()))

    def table() -> Table:
        print_incidents()
        best = means.best_first()
        return _build_table(best, line(best))

    try:
        if sys.stdout.isatty():
            with Live(console=stdout_console(), auto_refresh=False, transient=True) as live:
                async with call_periodically(lambda: live.update(table(), refresh=True), TABLE_INTERVAL_S):
                    yield
        else:
            async with call_periodically(print_line, LINE_INTERVAL_S):
                yield
    finally:
        print_incidents()


def progress_line(
    league: OpenLeague,
    means: Sequence[EntrantMean],
    seconds: float,
    games_before: int,
    awaited: Sequence[str] = (),
    now: float = 0.0,
) -> str:
    """This run began `seconds` ago, after `games_before` games.

    `awaited` are the remote bots that are not connected yet; `now` is in seconds since 1970.
    """
    games = league.ledger.game_count
    if league.ledger.paused.is_set():
        return f"{format_subject(games, 'game')} finished; the league pauses because the store cannot be written"
    rate = (games - games_before) / seconds if seconds else 0.0
    best = ", ".join(f"{mean.name} {mean.score:+.2f}" for mean in means[:MAX_NAMES])
    shown = f"; {best}" if best else ""
    waits = waiting_text(league.dates, awaited, now)
    if league.dates:  # the league waits for its dates, so its rate says nothing about its end
        return f"{games_text(league)}{shown}{waits}"
    remaining = _remaining_text(league, games, 0.0 if awaited else rate)  # nobody knows when an awaited bot connects
    return f"{games_text(league)}, {rate:.1f} a second{remaining}{shown}{waits}"


def games_text(league: OpenLeague) -> str:
    """Return how many games have ended, and how many are planned if their number is fixed."""
    games, planned = league.ledger.game_count, league.planned_games
    return format_count(games, "game") if planned is None else f"{games} of {planned} games"


def _remaining_text(league: OpenLeague, games: int, rate: float) -> str:
    """Return the time that the league will still take; empty if unknown."""
    planned, budget_s = league.planned_games, league.format.size(league.schedule.field).budget_s
    if budget_s is not None:
        return f", new rounds start for {format_rough_duration(max(0.0, budget_s - league.ledger.age_s))}"
    return f", about {format_rough_duration((planned - games) / rate)} left" if planned and rate else ""


def waiting_text(dates: Sequence[RoundDate], awaited: Iterable[str], now: float) -> str:
    """Return the text of a progress line on awaited bots or the next date; empty if the league waits for nothing."""
    names = list(awaited)
    opened = [date for date in dates if date.opens <= now < date.closes]
    if names:
        until = f" until {format_utc(opened[0].closes)}" if opened else ""
        return f"; waiting for {join_words(names)} to connect{until}"
    ahead = [date for date in dates if now < date.opens]
    if opened or not ahead:
        return ""
    return f"; {describe_rounds(ahead[0].first, ahead[0].last)} from {format_utc(ahead[0].opens)} on"


def resume_text(league: OpenLeague) -> str:
    ledger = league.ledger
    games = sum(len(row.matches) for row in ledger.rows if row.state == OPEN and ledger.is_current(row))
    begun = f"; resuming {format_count(games, 'unfinished game')}" if games else ""
    finished = games_text(league)
    return f"{finished} {'is' if finished == '1 game' else 'are'} finished{begun}"


def _build_table(means: Sequence[EntrantMean], title: str) -> Table:
    """Only the final table and `status` have confidence intervals."""
    table = Table("", "bot", "games", "score", "mean place", title=title)
    for place, mean in enumerate(means[:MAX_ROWS], 1):
        table.add_row(str(place), mean.name, str(mean.games), f"{mean.score:+.3f}", f"{mean.place:.2f}")
    return table


class RunningMeans:
    """Mean scores and places, updated block by block: to count a long league anew every second takes too long.

    The scores are plain points. All blocks are counted again only if a counted block becomes void.
    """

    def __init__(self, league: OpenLeague) -> None:
        self._league = league
        self._tallies: dict[str, Tally] = {}
        self._counted: set[tuple[int, int]] = set()
        """Number and attempt of each block counted so far."""

    def best_first(self) -> Sequence[EntrantMean]:
        """Return the means of all entrants that have played, best score first."""
        self._count_new_blocks()
        means = [
            EntrantMean(name, count := tally.game_count, sum(tally.points.values()) / count, tally.place_sum / count)
            for name, tally in self._tallies.items()
        ]
        return sorted(means, key=lambda mean: -mean.score)

    def _count_new_blocks(self) -> None:
        history = regular_results(self._league)
        new = [result for result in history if _block_key(result) not in self._counted]
        if len(self._counted) + len(new) != len(history):
            new = history
            self._tallies.clear()
            self._counted.clear()
        for result in new:
            self._counted.add(_block_key(result))
            scores = block_scores(result)
            for table in result.tables:
                for seat, name in enumerate(table.seats):
                    self._tallies.setdefault(name, Tally()).add_game(result.block.number, scores[name], table, seat)


def _block_key(result: BlockResult) -> tuple[int, int]:
    return result.block.number, result.attempt
