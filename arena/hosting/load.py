"""How many tables a bot plays at once at a node: as many as it can answer in good time.

The games of a bot that blocks its process while it thinks wait for each other; with too many of them it would be late
in all, and that would be our doing. So everybody begins with few, has one more after each game in which it answered
soon, and a quarter less after each in which it took long, as connections share a line (V. Jacobson, Congestion
Avoidance and Control, 1988).
"""

from typing import Final

MOST_TABLES: Final = 64
"""At a node at once: with so many the frames of fast bots are full."""
SHARE: Final = 2.0
"""So many times what is one bot's part of the seats it may hold at once."""
FEW: Final = 2
"""Seats to begin with."""
SOON: Final = 0.25
"""Of the time for an answer: when the slowest took less there is room for more."""
LONG: Final = 0.5
"""When the slowest took more, others may soon be late."""


class Load:
    """Of all bots of one league."""

    def __init__(self, names: int, seats: int, allowed_s: float, few: int = FEW) -> None:
        """`names` take part, at tables of so many `seats`; `allowed_s`: the time for an answer; `few` to begin with."""
        self._few = few
        self._most = max(few, round(SHARE * MOST_TABLES * seats / max(1, names)))
        self._allowed_s = allowed_s
        self._seats: dict[str, int] = {}

    def most_of(self, name: str) -> int:
        """How many seats a bot may hold at a node."""
        return self._seats.get(name, self._few)

    def learn(self, name: str, answer_s: float) -> None:
        """A game of a bot is over, in which it took so long for its slowest answer; infinity: some were late."""
        seats = self.most_of(name)
        if answer_s < SOON * self._allowed_s:
            self._seats[name] = min(self._most, seats + 1)
        elif answer_s > LONG * self._allowed_s:
            self._seats[name] = max(1, seats - max(1, seats // 4))
