"""Orders, the only output of a referee, and the handling of an input that collects them."""

from enum import Enum
from typing import Any, Final

from arena.match.game import ChanceRequest
from arena.match.referee.facts import (
    DealReceipt,
    DealRevealed,
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    MatchStarted,
    StrikeIssued,
)
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.value_class import value_class


class DecisionStatus(Enum):
    ACCEPTED = "accepted"
    HELD = "held"
    LANDED = "landed"
    HOLD_CANCELLED = "hold_cancelled"
    REFUSED = "refused"


@value_class()
class DecisionResult:
    """Tell an entrant the result of its decision."""

    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    status: DecisionStatus
    reason: str = ""
    """Why the decision was refused: a rule code or one of `Refusal`. Empty if it was not refused."""
    late_us: int = 0
    """For LATE: by how many microseconds the decision was late."""
    retry_at: Instant | None = None
    """For TOO_EARLY: the instant from which such a decision counts."""


@value_class()
class TellEvent:
    """Tell every viewer the part of a game event that it may know."""

    event: Any


@value_class()
class AnnounceFact:
    """Tell every viewer a fact of the match."""

    fact: MatchStarted | GameStarted | GameEnded | IntermissionStarted | DealRevealed | MatchEnded


@value_class()
class GiveReceipt:
    """Send an entrant, and no other viewer, the receipt with which it can verify the deal later."""

    entrant: EntrantIndex
    receipt: DealReceipt


@value_class()
class Ask:
    """Send an entrant a prompt, or new times or new options for a prompt that it already has."""

    entrant: EntrantIndex
    prompt: "PromptView"


@value_class()
class Withdraw:
    """Tell an entrant that a prompt is closed."""

    entrant: EntrantIndex
    prompt_id: PromptId


@value_class()
class DrawChance:
    """Draw random values for a game; they must come back as the next input."""

    game: int
    chance: ChanceRequest


@value_class()
class PromptView:
    """A prompt as its receiver sees it. Seats with the same options and times share one object."""

    id: PromptId
    kind: str
    options: Any
    deadline: Instant | None
    """The last instant at which an answer counts, microseconds on the node's clock; None if there is no deadline."""
    earliest: Instant | None
    lands: Instant | None


@value_class()
class TellStrike:
    """Tell an entrant, and no other viewer, about its strike."""

    struck: StrikeIssued


Order = DecisionResult | TellEvent | AnnounceFact | Ask | Withdraw | DrawChance | TellStrike | GiveReceipt


class Refusal:
    """The protocol's reasons for refusing a decision; codes for broken rules come from the game."""

    UNKNOWN_PROMPT: Final = "unknown_prompt"
    LATE: Final = "late"
    ALREADY_ANSWERED: Final = "already_answered"
    ACTION_ID_CONFLICT: Final = "action_id_conflict"
    TOO_EARLY: Final = "too_early"
    MALFORMED: Final = "malformed"
    NOTE_TOO_LONG: Final = "note_too_long"
    ENTROPY_MISMATCH: Final = "entropy_mismatch"


class Handling:
    """Carries an input's instants and orders from method to method."""

    __slots__ = ("at", "now", "orders")

    def __init__(self, at: Instant, now: Instant, orders: list[Order]) -> None:
        """`at` is when the input arrived or was due, `now` is when it is handled. New prompts are timed from `now`."""
        self.at = at
        self.now = now
        self.orders = orders
