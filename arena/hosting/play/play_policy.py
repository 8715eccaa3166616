"""How a league is played, where that is not as leagues usually are."""

from dataclasses import dataclass
from math import inf
from typing import Final

from arena.hosting.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES
from arena.hosting.play.void_check import MAX_SPARED_BLOCKS


@dataclass(frozen=True, slots=True)
class PlayPolicy:
    """How much is played at once, and what is forgiven."""

    initial_games: int = INITIAL_GAMES
    """Games that a bot has at once at a node to begin with."""
    max_tables: int = MAX_TABLES
    """At a node at once; a block that has more is played alone."""
    max_ahead: float = inf
    """In blocks a node: how far a block that begins may be ahead of the first one that is not over."""
    max_spared: float = MAX_SPARED_BLOCKS
    """Blocks that may be void for the sake of one owner's bots; infinity: all that the machine has spoilt."""
    may_write: bool = False
    """Whether a bot may be started again after its files have changed: they are a copy of its own."""


DEFAULT_POLICY: Final = PlayPolicy()
