"""Limits how many games a bot plays at the same time at a node: as many as the bot can answer in good time.

A bot may block its process while it thinks, and then its games wait for each other. Too many games would make it late
in all of them, and that would be the arena's fault. So every bot begins with a limit of few games.

A game is good if its answers were fast, or if the bot was about as fast as when it plays one game alone. Each good game
raises the limit by one. A game with a slow answer halves the limit. From then on, a limit of n games rises by one only
after n good games. Network connections share a line in the same way (V. Jacobson, Congestion Avoidance and Control,
1988).

If a bot is just as slow in a game alone, fewer games do not help it. So a game at about that speed does not reduce the
limit. A bot counts as slow alone only after two slow games alone in a row, because a single slow game may be the
machine's fault.

Measured over 600 games of the sample bots on two busy cores: with 64 tables from the start, 151 s and 36 strikes that
waits for a core caused; with the limiter, 172 s without a strike, and 176 s with 14. Strikes remain possible until a
bot's first slow game ends.
"""

from dataclasses import dataclass
from math import inf
from typing import Final

MAX_TABLES: Final = 64
"""Number of concurrent tables at a node. With this many tables, the network frames of fast bots are full."""
FAIR_SHARE_FACTOR: Final = 2.0
"""The largest number of seats that a bot may hold at the same time, as a multiple of its equal share of all seats."""
INITIAL_GAMES: Final = 2
"""Concurrent games that a bot begins with."""
SOON_SHARE: Final = 0.4
"""If the slowest answer of a game took less than this share of its prompt's time, there is room for another game."""
LONG_SHARE: Final = 0.7
"""If the slowest answer took more than this share, other answers may soon be late."""
NEAR_FACTOR: Final = 1.5
"""If an answer takes at most this many times as long as in a game alone, the bot's other games are not to blame."""


@dataclass(slots=True)
class _BotLimit:
    games: float
    alone: float = 0.0
    """The largest share of a prompt's time that the bot used in the better of its last two games alone; 0 if none."""
    last_alone: float = 0.0
    """The largest share of a prompt's time that the bot used in its last game alone; 0 if there was none."""
    cut_at: int = -1
    """The number of the newest game when the limit was halved. Games up to this number say nothing about the new
    limit."""


class ConcurrencyLimiter:
    """Limits the concurrent games of all bots of one league."""

    def __init__(self, names: int, seats: int, few: int = INITIAL_GAMES) -> None:
        """`names` is the number of entrants. A table has `seats` seats. Every bot begins with `few` games."""
        self._most = max(few, round(FAIR_SHARE_FACTOR * MAX_TABLES * seats / max(1, names)))
        self._few = few
        self._bots: dict[str, _BotLimit] = {}
        self._newest = -1

    def max_games(self, name: str) -> int:
        """Return how many games a bot may play at the same time at a node."""
        return int(self._bots[name].games) if name in self._bots else self._few

    def begin_games(self) -> int:
        """Return a number for all games that begin now. `record_game` takes this number."""
        self._newest += 1
        return self._newest

    def record_game(self, name: str, share: float, number: int) -> None:
        """Record the largest share of a prompt's time that a bot used in an ended game; infinity if it was late."""
        bot = self._bots.setdefault(name, _BotLimit(self._few))
        if number <= bot.cut_at:
            return
        if int(bot.games) == 1:
            bot.alone, bot.last_alone = min(share, bot.last_alone), share
        elif share < bot.alone == inf:  # the bot was late in its last two games alone, and is in time now
            bot.alone = bot.last_alone = 0.0
        if share < SOON_SHARE or share <= NEAR_FACTOR * bot.alone:
            bot.games = min(self._most, bot.games + (1 if bot.cut_at < 0 else 1 / bot.games))
        elif share > LONG_SHARE or (bot.games <= self._few and not bot.alone):
            bot.games, bot.cut_at = max(1, bot.games / 2), self._newest
