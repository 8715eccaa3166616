"""Measures decisions of trivial bots in practice, which plays whole games in this process."""

import time
from functools import partial

from arena.practice import play
from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Play, Table, TurnOptions
from tools.benchmarks.engine import least_us
from tools.benchmarks.row import Figure

SEATS = 4
CALLS = 10
"""One of this many windows is answered with a call."""
GAMES_PER_SECOND = 25
MAX_TURNS = 200
"""Turns of a game. These bots rarely empty a hand, so most games end here."""
RATE_GOAL = 60_000.0
"""The goal for the compiled build."""


class Trivial(Bot):
    """Lays its first cards, and claims the first legal rank."""

    decisions = 0
    """Decisions of all bots of the process."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        Trivial.decisions += 1
        counts = options.counts
        return Play(tuple(table.hand)[: counts[0]], options.ranks[0]) if counts else options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        """Call in one of `CALLS` windows, and decline in all others."""
        Trivial.decisions += 1
        return Decline() if Trivial.decisions % CALLS else Call()


def practice(seconds: float) -> list[Figure]:
    """Measure games of four trivial bots. Their own time is included, and the records of the match are kept."""
    games = max(1, int(GAMES_PER_SECOND * seconds))
    us = least_us(partial(_play_s, games), _count_decisions(games), seconds)
    return [Figure("practice rate", "/s", 1e6 / us, RATE_GOAL, True), Figure("practice", "us", us)]


def _play_s(games: int) -> float:
    """Play games, the same every time, and return the CPU seconds."""
    Trivial.decisions = 0
    started_s = time.thread_time()
    play([Trivial] * SEATS, options={"max_turns": MAX_TURNS}, games=games, seed=1)
    return time.thread_time() - started_s


def _count_decisions(games: int) -> int:
    _play_s(games)
    return Trivial.decisions
