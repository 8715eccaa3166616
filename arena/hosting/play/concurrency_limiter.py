"""The limiter of a bot's concurrent games at a node: as many as the bot can answer in good time.

The games of a bot that blocks its process while it thinks wait for each other; too many would make it late in all of
them, and that would be the arena's fault. So every bot begins with few games. A game with fast answers, or answers
about as fast as in a game alone, adds one; a game with a slow answer halves the limit, and after that a game is added
only when a whole set of them went well. Connections share a line in the same way (V. Jacobson, Congestion Avoidance and
Control, 1988). A bot that is just as slow alone gains nothing from fewer games and keeps its limit; this takes two
games alone in a row, because a single slow one may be the machine's fault.
"""

from dataclasses import dataclass
from math import inf
from typing import Final

MAX_TABLES: Final = 64
"""Tables at a node at once: with this many, the frames of fast bots are full."""
FAIR_SHARE_FACTOR: Final = 2.0
"""How many times its equal part of the seats a bot may hold at once."""
INITIAL_GAMES: Final = 2
"""Concurrent games that a bot begins with."""
SOON_SHARE: Final = 0.4
"""The share of a prompt's time below which a slowest answer leaves room for another game."""
LONG_SHARE: Final = 0.7
"""The share above which other answers may soon be late."""
NEAR_FACTOR: Final = 1.5
"""An answer within this factor of the time it takes alone does not depend on the number of games."""


@dataclass(slots=True)
class _BotLimit:
    games: float
    alone: float = 0.0
    """The largest share of a deadline used, in the better of the last two games alone; 0: unknown."""
    last_alone: float = 0.0
    """The same for the last game alone; 0: there was none."""
    cut_at: int = -1
    """The newest game begun when the limit was halved; games up to it say nothing about the new limit."""


class ConcurrencyLimiter:
    """Limits the concurrent games of all bots of one league."""

    def __init__(self, names: int, seats: int, few: int = INITIAL_GAMES) -> None:
        """`names` is the number of entrants, `seats` that of a table; every bot begins with `few` games."""
        self._most = max(few, round(FAIR_SHARE_FACTOR * MAX_TABLES * seats / max(1, names)))
        self._few = few
        self._bots: dict[str, _BotLimit] = {}
        self._newest = -1

    def max_games(self, name: str) -> int:
        """Return how many games a bot may have at once at a node."""
        return int(self._bots[name].games) if name in self._bots else self._few

    def begin_games(self) -> int:
        """Return the number of the games that begin now, for `record_game`."""
        self._newest += 1
        return self._newest

    def record_game(self, name: str, share: float, number: int) -> None:
        """Record a bot's largest share of a deadline used in a game that has ended; infinity: it was late."""
        bot = self._bots.setdefault(name, _BotLimit(self._few))
        if number <= bot.cut_at:
            return
        self._update_alone(bot, share)
        if share < SOON_SHARE or share <= NEAR_FACTOR * bot.alone:
            bot.games = min(self._most, bot.games + (1 if bot.cut_at < 0 else 1 / bot.games))
        elif share > LONG_SHARE or (bot.games <= self._few and not bot.alone):
            bot.games, bot.cut_at = max(1, bot.games / 2), self._newest

    @staticmethod
    def _update_alone(bot: _BotLimit, share: float) -> None:
        """Learn how slow a bot is alone; forget that it was always late once it is not."""
        if int(bot.games) == 1:
            bot.alone, bot.last_alone = min(share, bot.last_alone), share
        elif share < bot.alone == inf:
            bot.alone = bot.last_alone = 0.0
