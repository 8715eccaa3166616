"""The limits of a league's play that trials and comparisons change."""

from dataclasses import dataclass
from math import inf
from typing import Final

from arena.organizer.play.concurrency_limiter import INITIAL_GAMES, MAX_TABLES
from arena.organizer.play.void_check import MAX_SPARED_BLOCKS


@dataclass(frozen=True, slots=True)
class PlayPolicy:
    """Limits on concurrent games and tables, on void blocks, and on changes of bots."""

    initial_games: int = INITIAL_GAMES
    """Concurrent games that a bot begins with at a node."""
    max_tables: int = MAX_TABLES
    """Concurrent tables at a node. A block with more tables is played alone."""
    max_ahead: float = inf
    """How far a new block may be ahead of the first unfinished one, in blocks for each node.

    About one game in 400 lasts 2,000 turns, and in a comparison no later block counts until it ends. With this limit
    it soon has the cores to itself.
    """
    max_spared: float = MAX_SPARED_BLOCKS
    """Number of blocks that may be void for one owner's bots.

    With infinity, a block is void whenever the machine cost a bot time.
    """
    may_write: bool = False
    """Whether a bot may be restarted after its files have changed. True if each bot runs from its own copy."""


DEFAULT_POLICY: Final = PlayPolicy()
