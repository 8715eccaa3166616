"""What people see while a league is played: a live table on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from rich.live import Live
from rich.table import Table

from arena.cli.console import out, say
from arena.cli.league_means import Mean, Means
from arena.cli.league_table import line_of
from arena.cli.progress import repeated
from arena.hosting.bench import Bench
from arena.hosting.incidents import sentence_of
from arena.hosting.league import OpenLeague

LINE_S: Final = 5.0
"""Seconds between two lines."""
TABLE_S: Final = 1.0
"""Seconds between two tables."""
SHOWN: Final = 20
"""Rows of the live table: no more fit on a screen."""


@asynccontextmanager
async def progress(league: OpenLeague, benches: Sequence[Bench], is_quiet: bool) -> AsyncIterator[None]:
    """Show now and then how far a league has got that is played at these benches."""
    began, before, means, news = time.monotonic(), league.ledger.game_count, Means(league), _News(league)

    def line(best: Sequence[Mean]) -> str:
        awaited = [name for bench in benches for name in bench.awaited]
        return line_of(league, best, time.monotonic() - began, before, awaited)

    def say_line() -> None:
        news.tell()
        say(line(means.best_first()))

    def table() -> Table:
        news.tell()
        best = means.best_first()
        return _table(best, line(best))

    if is_quiet:
        yield
        return
    try:
        if sys.stdout.isatty():
            with Live(console=out(), auto_refresh=False, transient=True) as live:
                async with repeated(lambda: live.update(table(), refresh=True), TABLE_S):
                    yield
        else:
            async with repeated(say_line, LINE_S):
                yield
    finally:
        news.tell()


class _News:
    """What has happened since somebody was told last."""

    def __init__(self, league: OpenLeague) -> None:
        self._acts, self._players = league.ledger.acts, league.file.players
        self._told = len(self._acts)

    def tell(self) -> None:
        """Say it, a line each."""
        new, self._told = self._acts[self._told :], len(self._acts)
        for act in new:
            if sentence := sentence_of(act, self._players):
                say(sentence)


def _table(means: Sequence[Mean], title: str) -> Table:
    """The best so far; intervals come with the end, and with `status`."""
    table = Table("", "bot", "games", "score", "mean place", title=title)
    for place, mean in enumerate(means[:SHOWN], 1):
        table.add_row(str(place), mean.name, str(mean.games), f"{mean.score:+.3f}", f"{mean.place:.2f}")
    return table
