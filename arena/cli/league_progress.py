"""What people see while a league is played: a live table on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from rich.live import Live
from rich.table import Table

from arena.cli.console import out, say
from arena.cli.league_table import line_of, means_of
from arena.cli.progress import repeated
from arena.hosting.league import OpenLeague

LINE_S: Final = 5.0
"""Seconds between two lines."""
TABLE_S: Final = 1.0
"""Seconds between two tables."""
SHOWN: Final = 20
"""Rows of the live table: no more fit on a screen."""


@asynccontextmanager
async def progress(league: OpenLeague, is_quiet: bool) -> AsyncIterator[None]:
    """Show now and then how far a league has got."""
    began, before = time.monotonic(), len(league.ledger.history)

    def line() -> str:
        return line_of(league, time.monotonic() - began, before)

    if is_quiet:
        yield
    elif sys.stdout.isatty():
        with Live(console=out(), auto_refresh=False, transient=True) as live:
            async with repeated(lambda: live.update(_table(league, line()), refresh=True), TABLE_S):
                yield
    else:
        async with repeated(lambda: say(line()), LINE_S):
            yield


def _table(league: OpenLeague, title: str) -> Table:
    """The best so far; intervals come with the end, and with `status`."""
    table = Table("", "bot", "games", "score", "mean place", title=title)
    for place, (name, count, mean, mean_place) in enumerate(means_of(league)[:SHOWN], 1):
        table.add_row(str(place), name, str(count), f"{mean:+.3f}", f"{mean_place:.2f}")
    return table
