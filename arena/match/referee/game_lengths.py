"""How long games were: their turns, and how many of them the rules stopped because they had too many."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Final

from arena.match.referee.terms import Terms

_TURN_LIMIT: Final = "max_turns"
"""The option of the rules that limits the turns of a game. A game that ends there has this termination too."""


@dataclass(frozen=True, slots=True)
class GameLengths:
    game_count: int = 0
    """Number of finished games."""
    stopped_count: int = 0
    """Number of games among them that ended at the turn limit."""
    median_turns: float | None = None
    """Median number of turns of the games whose turns are known; None if there are none."""
    turn_limit: int | None = None
    """The number of turns after which the rules stop a game; None if they do not, or if it is unknown."""


def measure_games(games: Iterable[tuple[str, int]], turn_limit: int | None = None) -> GameLengths:
    """Return how long games were, given their terminations and turns, and the turn limit.

    The number of turns is 0 if it is unknown, as while the match of a finished game runs.

    >>> measure_games([("finished", 30), ("max_turns", 2000), ("finished", 40)], 2000)
    GameLengths(game_count=3, stopped_count=1, median_turns=40, turn_limit=2000)
    """
    endings = list(games)
    turns = [count for _, count in endings if count]
    stopped = sum(termination == _TURN_LIMIT for termination, _ in endings)
    return GameLengths(len(endings), stopped, median(turns) if turns else None, turn_limit)


def turn_limit_of(terms: Terms) -> int | None:
    """Return after how many turns the rules stop a game; None if they have no such limit."""
    limit = terms.game.ruleset_options(terms.ruleset).get(_TURN_LIMIT)
    return limit if isinstance(limit, int) else None
