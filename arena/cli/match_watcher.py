"""Shows matches to a spectator, one after the other: a table on a terminal, told lines elsewhere."""

import sys
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from typing import Final, Protocol

from rich.live import Live

from arena.cli.console import print_status
from arena.cli.match.progress import call_periodically
from arena.cli.result_console import stdout_console
from arena.cli.table_text import WIDE_COLUMNS, render_table
from arena.errors import RequestError, UnknownNameError
from arena.games.catalogue import watched_game_of
from arena.match.referee.ports import MatchId
from arena.replays.watch.live_table import LiveTable, ToldLine
from arena.server.rpc.watch_client import WatchClient
from arena.typed_command import arena_command

_REDRAW_INTERVAL_S: Final = 0.1
"""Seconds between two drawings. However fast the bots play, only the newest table is drawn."""
_SHOWN_LINES: Final = 8
"""Number of told lines on the screen, if there is room."""
_OTHER_ROWS: Final = 7
"""Rows of the screen that are neither seats nor rows of the centre nor told lines."""


class Screen(Protocol):
    def tell(self, lines: Sequence[ToldLine]) -> None:
        """Show what has just happened. The first call has no lines: it says that the server shows the match."""


ScreenOpener = Callable[[LiveTable], AbstractAsyncContextManager[Screen]]
"""Opens the screen for the table of a match. On exit, the last table stays."""


async def watch_matches(client: WatchClient, match_ids: AsyncIterable[MatchId], open_screen: ScreenOpener) -> None:
    """Show matches one after the other, each until it is over. Only then the next id is asked for.

    A match that is over already is left out. Raises what `WatchClient.watch` raises otherwise.
    """
    async for match_id in match_ids:
        with suppress(UnknownNameError):
            await _show_match(client, match_id, open_screen)


async def watch_match(client: WatchClient, match_id: MatchId, open_screen: ScreenOpener) -> None:
    """Raises RequestError if the match is not running, and whatever `WatchClient.watch` raises."""
    try:
        await _show_match(client, match_id, open_screen)
    except UnknownNameError as error:
        replay = arena_command("replay", "show", match_id)
        raise RequestError(
            f"no match {match_id} runs at {client.address}; if it is over, `{replay}` shows it on the server's machine"
        ) from error


async def _show_match(client: WatchClient, match_id: MatchId, open_screen: ScreenOpener) -> None:
    table = LiveTable(watched_game_of)
    async with open_screen(table) as screen, aclosing(client.watch(match_id, _note_loss)) as messages:
        async for message in messages:
            screen.tell(table.add(message))
    if not table.is_over:
        print_status(f"match {match_id} was cancelled before it began")


def _note_loss(error: Exception) -> None:
    print_status(f"the connection is lost, trying to continue: {error}")


@asynccontextmanager
async def open_screen(table: LiveTable) -> AsyncIterator[Screen]:
    """Show a match on stdout: on a terminal as a table redrawn in place, elsewhere as one line for each event."""
    if not sys.stdout.isatty():
        yield _LinePrinter()
        return
    with Live(console=stdout_console(), auto_refresh=False, vertical_overflow="crop") as live:
        screen = _TableScreen(table, live)
        try:
            async with call_periodically(screen.draw_if_changed, _REDRAW_INTERVAL_S):
                yield screen
        finally:
            screen.draw_if_changed()


class _LinePrinter:
    def tell(self, lines: Sequence[ToldLine]) -> None:
        """The lines are printed at once, so that a program that reads them is up to date."""
        for line in lines:
            print(line.text)
        sys.stdout.flush()


class _TableScreen:
    """Draws the newest table in place, with the last told lines."""

    def __init__(self, table: LiveTable, live: Live) -> None:
        self._table = table
        self._live = live
        self._lines = deque[ToldLine](maxlen=_SHOWN_LINES)
        self._is_shown = False
        """Whether there is something to draw."""
        self._drawn: int | None = None
        """The sequence of the message after which the table was drawn last; None before the first drawing."""

    def tell(self, lines: Sequence[ToldLine]) -> None:
        self._is_shown = True
        self._lines += lines

    def draw_if_changed(self) -> None:
        if not self._is_shown or self._drawn == self._table.sequence:
            return
        drawing, console = self._table.drawing, self._live.console
        self._drawn = self._table.sequence
        is_wide = console.width >= WIDE_COLUMNS
        room = console.height - (0 if is_wide else len(drawing.seats) + len(drawing.centre) + _OTHER_ROWS)
        lines = list(self._lines)[-max(2, room) :]
        self._live.update(render_table(drawing, lines, is_wide=is_wide), refresh=True)
