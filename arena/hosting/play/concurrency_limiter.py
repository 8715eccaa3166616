"""How many games a bot plays at once at a node: as many as it can answer in good time.

The games of a bot that blocks its process while it thinks wait for each other; with too many of them it would be late
in all, and that would be our doing. So everybody begins with few. For each game in which it answered soon, or about as
soon as with one game alone, it has one more; after one in which it took long it has half, and from then on one more
only when all of these went well. So connections share a line (V. Jacobson, Congestion Avoidance and Control, 1988).
Who is as slow alone gains nothing from fewer games, and keeps them: in two games alone, one after the other, for what
happened once may be the machine's doing.
"""

from dataclasses import dataclass
from math import inf
from typing import Final

MAX_TABLES: Final = 64
"""At a node at once: with so many the frames of fast bots are full."""
FAIR_SHARE_FACTOR: Final = 2.0
"""So many times what is one bot's part of the seats it may hold at once."""
INITIAL_GAMES: Final = 2
"""Games to begin with."""
SOON_SHARE: Final = 0.4
"""Of a question's time: when no answer took more there is room for another game."""
LONG_SHARE: Final = 0.7
"""When an answer took more, others may soon be late."""
NEAR_FACTOR: Final = 1.5
"""Up to so many times what it takes alone is no matter of how many games there are."""


@dataclass(slots=True)
class _BotLimit:
    games: float
    alone: float = 0.0
    """The largest part of its time that an answer took in the better of two games that it had alone; 0: unknown."""
    last_alone: float = 0.0
    """The same in the last one; 0: there was none."""
    cut_at: int = -1
    """The newest game that had begun when it was given fewer: it tells nothing of how it does with these."""


class ConcurrencyLimiter:
    """Of all bots of one league."""

    def __init__(self, names: int, seats: int, few: int = INITIAL_GAMES) -> None:
        """`names` take part, at tables of so many `seats`; everybody begins with a `few` games."""
        self._most = max(few, round(FAIR_SHARE_FACTOR * MAX_TABLES * seats / max(1, names)))
        self._few = few
        self._bots: dict[str, _BotLimit] = {}
        self._newest = -1

    def max_games(self, name: str) -> int:
        """How many games a bot may have at a node."""
        return int(self._bots[name].games) if name in self._bots else self._few

    def begin_games(self) -> int:
        """Games begin; gives the number to tell when they are over."""
        self._newest += 1
        return self._newest

    def record_game(self, name: str, share: float, number: int) -> None:
        """A game is over, in which an answer of this bot took that part of its time; infinity: it was late."""
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
        """Learn how slow a bot is alone; that it is always late is forgotten when it is not."""
        if int(bot.games) == 1:
            bot.alone, bot.last_alone = min(share, bot.last_alone), share
        elif share < bot.alone == inf:
            bot.alone = bot.last_alone = 0.0
