"""What happens in a match besides its games' own events. All public, but for `Struck`, which is its entrant's alone."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The match begins; the terms say everything."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins."""

    game: int
    """0-based number in the match."""
    entrants: tuple[int, ...]
    """Entrant by seat."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over."""

    game: int
    places: tuple[int, ...]
    """By seat, 1 is best, ties share."""
    termination: str
    """The game's own word, or `forfeit`."""
    entrants: tuple[int, ...]
    """Entrant by seat."""


@dataclass(frozen=True, slots=True)
class IntermissionStarted:
    """A break before the next game."""

    until: int
    """Its latest end, microseconds on the node's clock."""


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over."""

    termination: str
    """`finished`, `forfeited`, `cancelled`, `interrupted`."""
    place_sums: tuple[int, ...]
    """By entrant, over all games."""


class FaultKind(Enum):
    """What a strike is for."""

    LATE = "late"
    ILLEGAL = "illegal"
    MISSING = "missing"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Struck:
    """An entrant did not do its part."""

    entrant: int
    kind: FaultKind
    prompt_id: int = 0
    """The prompt that it concerns, 0 = none."""
    reason: str = ""
    """Rule or protocol code, for LATE and ILLEGAL."""
    automatic: Any = None
    """MISSING: the action made instead; None where there was none (a missed window)."""
