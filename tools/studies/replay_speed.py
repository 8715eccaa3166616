"""How fast the replay of a long game is: `python -m tools.studies.replay_speed [TURNS]` plays one at random.

The page of the game is opened from a file in Chromium, and stepped through, a line in each frame, with motion.
"""

import gzip
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.replay import Replay
from arena.organizer.report.game_page import render_game_page
from arena.organizer.report.published_match import build_published_match
from tests.replays.narration.random_match import MATCH, RandomMatch
from tests.support.chromium import open_browser
from tests.support.league_stories import entry_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

IDLE: Final = """(frames) => new Promise((done) => {
  const times = [];
  function look(now) {
    times.push(now);
    if (times.length > frames) return done(1000 * frames / (times.at(-1) - times[0]));
    requestAnimationFrame(look);
  }
  requestAnimationFrame(look);
})"""
OPENED: Final = (
    """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"""
)
STEP: Final = """(steps) => new Promise((done) => {
  const next = document.querySelector("#next");
  const frames = [];
  function step(now) {
    frames.push(now);
    if (frames.length > steps) return done(frames);
    next.click();
    requestAnimationFrame(step);
  }
  requestAnimationFrame(step);
})"""


def write_page(turns: int, out: Path) -> None:
    """Play a game of this many turns with four packs, and write its page."""
    match = RandomMatch(CHEAT, 4, 1, options={"max_turns": turns, "decks": 4, "max_count": 1}).play()
    begun = time.perf_counter()
    (page,) = build_published_match(entry_of(MATCH, match.bench.terms), Replay(match.records, games())).pages
    html = render_game_page(page).encode()
    took = time.perf_counter() - begun
    out.write_bytes(html)
    lines, zipped = len(page.steps), len(gzip.compress(html, 5))
    print(f"{turns:,} turns, {lines:,} lines: page of {len(html):,} bytes, {zipped:,} zipped, made in {took:.2f} s")


class OpenedGame:
    """The page of a game in a browser, whose thread is timed: this does not count the time of other processes."""

    def __init__(self, page: "Page", file: Path) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before_ms = self._read_busy_ms()
        page.goto(file.as_uri())
        self.drawn_ms: float = page.evaluate(OPENED)
        """From the beginning of the navigation until the page was drawn."""
        self.busy_ms = self._read_busy_ms() - before_ms
        """For how long its thread worked meanwhile."""

    def step(self, steps: int) -> tuple[float, float]:
        """Step on, a line in each frame; return the frames a second, and the milliseconds of the thread for each."""
        begun_ms = self._read_busy_ms()
        frame_times = self._page.evaluate(STEP, steps)
        rate = 1000 * steps / (frame_times[-1] - frame_times[0])
        return rate, (self._read_busy_ms() - begun_ms) / steps

    def _read_busy_ms(self) -> float:
        figures = {each["name"]: each["value"] for each in self._session.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(figures["TaskDuration"])


def main(turns: int, steps: int = 600) -> None:
    """Print how fast the page of a game is."""
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        file = Path(folder) / "game.html"
        write_page(turns, file)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        opened = OpenedGame(page, file)
        print(f"drawn after {opened.drawn_ms:.0f} ms, in which the page's thread worked {opened.busy_ms:.0f} ms")
        rate, step_ms = opened.step(steps)
        page.select_option("#speed", "10")
        page.click("#play")
        print(f"playing ten lines a second: {page.evaluate(IDLE, steps // 4):.0f} frames a second")
        idle = browser.new_page().evaluate(IDLE, steps // 4)
        print(f"{steps} steps with motion: {rate:.0f} frames a second, each {step_ms:.1f} ms of the page's thread")
        print(f"an empty page: {idle:.0f} frames a second")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
