"""How a league is played if it differs from the usual way."""

from dataclasses import dataclass
from math import inf
from typing import Final

from arena.hosting.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES
from arena.hosting.play.void_check import MAX_SPARED_BLOCKS


@dataclass(frozen=True, slots=True)
class PlayPolicy:
    """Limits on how much is played at once and how much is spared."""

    initial_games: int = INITIAL_GAMES
    """Concurrent games that a bot begins with at a node."""
    max_tables: int = MAX_TABLES
    """Tables at a node at once; a larger block is played alone."""
    max_ahead: float = inf
    """Blocks for each node by which a new block may be ahead of the first unfinished one."""
    max_spared: float = MAX_SPARED_BLOCKS
    """Blocks that may be void for one owner's bots; infinity: every block that the machine has spoilt."""
    may_write: bool = False
    """Whether a bot may be restarted after its files have changed, because it runs from its own copy."""


DEFAULT_POLICY: Final = PlayPolicy()
