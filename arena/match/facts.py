"""What happens in a match besides its games' own events.

All public, but for `StrikeIssued` and `DealReceipt`, which are their entrant's alone.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.deal.commitment import Contribution
from arena.match.scalars import EntrantIndex, Instant, PromptId


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The match begins; the terms say everything."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins."""

    game: int
    """0-based number in the match."""
    entrants: tuple[EntrantIndex, ...]
    """Entrant by seat."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over."""

    game: int
    places: tuple[int, ...]
    """By seat, 1 is best, ties share."""
    termination: str
    """The game's own word, or `forfeit`."""
    entrants: tuple[EntrantIndex, ...]
    """Entrant by seat."""

    @property
    def places_by_entrant(self) -> tuple[int, ...]:
        """Its places in the order of the entrants."""
        return tuple(place for _, place in sorted(zip(self.entrants, self.places, strict=True)))


@dataclass(frozen=True, slots=True)
class IntermissionStarted:
    """A break before the next game."""

    until: Instant
    """Its latest end, microseconds on the node's clock."""


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over."""

    termination: str
    """`finished`, `forfeited`, `cancelled`, `interrupted`."""
    place_sums: tuple[int, ...]
    """By entrant, over all games."""


@dataclass(frozen=True, slots=True)
class DealReceipt:
    """What ties the server to a deal before its first card; each entrant's own."""

    digest: bytes
    signature: bytes
    """Ed25519 over the digest."""
    public_key: bytes


@dataclass(frozen=True, slots=True)
class DealRevealed:
    """The match's deal is opened: no game will use it again."""

    deal_id: str
    rules_hash: bytes
    """Hash of what was played."""
    seed: bytes = field(repr=False)
    commitment: bytes
    root: bytes
    """Hash of the first deck; empty where none was shuffled."""
    contributions: tuple[Contribution, ...]
    """By entrant, of those who contributed."""
    salts: tuple[bytes, ...]
    """By entrant: r of its receipt."""
    receipts: tuple[DealReceipt, ...] = ()
    """By entrant, as they were given; none where no card was dealt. Each entrant has its own already."""


class StrikeKind(Enum):
    """What a strike is for."""

    LATE = "late"
    ILLEGAL = "illegal"
    MISSING = "missing"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class StrikePrompt:
    """The question that a strike is about."""

    kind: str
    at: Instant
    """When its time began, microseconds on the node's clock; what was credited to it has moved that."""
    deadline: Instant | None


@dataclass(frozen=True, slots=True)
class StrikeIssued:
    """An entrant did not do its part."""

    entrant: EntrantIndex
    kind: StrikeKind
    prompt_id: PromptId = PromptId(0)  # noqa: RUF009  a number
    """The prompt that it concerns, 0 = none."""
    reason: str = ""
    """Rule or protocol code, for LATE and ILLEGAL."""
    automatic: Any = None
    """MISSING: the action made instead; None where there was none (a missed window)."""
    asked: StrikePrompt | None = field(default=None, compare=False)
    """None where it is about no question that is remembered."""
    action: Any = field(default=None, compare=False)
    """LATE, ILLEGAL: what came; None where that cannot be read."""
