"""What a spectator sees in a terminal while bots play faster than anybody can read."""

from collections.abc import Callable
from contextlib import asynccontextmanager
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from arena.cli import match_watcher
from arena.cli.match_watcher import open_screen
from arena.games.catalogue import games, watched_game_of
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.replay import Replay
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages
from tests.replays.watch.spectators import play_match


class Terminal(StringIO):
    """A terminal that keeps everything that is written to it."""

    def isatty(self) -> bool:
        return True

    @property
    def drawing_count(self) -> int:
        return self.getvalue().count("cheat standard · ")


@pytest.fixture
def terminal(monkeypatch) -> Terminal:
    opened = Terminal()
    monkeypatch.setattr(match_watcher, "sys", SimpleNamespace(stdout=opened))  # pytest replaces that of the process
    console = Console(file=opened, width=100, height=20, force_terminal=True, color_system=None)
    monkeypatch.setattr(match_watcher, "stdout_console", lambda: console)
    return opened


@pytest.fixture
def redraw(monkeypatch) -> list[Callable[[], object]]:
    """The function that the timer calls; here, only the test does."""
    timers: list[Callable[[], object]] = []

    @asynccontextmanager
    async def note_timer(act: Callable[[], object], every_s: float):
        assert every_s >= 0.1
        timers.append(act)
        yield

    monkeypatch.setattr(match_watcher, "call_periodically", note_timer)
    return timers


async def test_only_the_newest_table_is_drawn(terminal: Terminal, redraw):
    """However many moves there were since the last drawing, there is one drawing, and none if nothing has happened."""
    table = LiveTable(watched_game_of)
    messages = recorded_messages(Replay(play_match(CHEAT, "standard", 4, 1), games()))

    async with open_screen(table) as screen:
        (draw,) = redraw
        draw()
        assert "match" not in terminal.getvalue(), "nothing is shown before the server has agreed"
        screen.tell([])
        draw()
        assert "waiting for the match to begin" in terminal.getvalue()
        for message in messages:
            screen.tell(table.add(message))
        assert terminal.drawing_count == 0
        draw()
        draw()
        assert terminal.drawing_count == 1

    assert (
        terminal.getvalue().rpartition("cheat standard · ")[2].count("the match is over, finished; sums of places") == 1
    )


async def test_drawing_fits_on_a_screen_with_few_rows(terminal: Terminal, redraw):
    """The told lines give way."""
    table = LiveTable(watched_game_of)

    async with open_screen(table) as screen:
        for message in recorded_messages(Replay(play_match(CHEAT, "standard", 4, 1), games())):
            screen.tell(table.add(message))

    rows = terminal.getvalue().rpartition("cheat standard · ")[2].splitlines()
    assert len(rows) <= 20
    assert any("the match is over, finished; sums" in row for row in rows)
