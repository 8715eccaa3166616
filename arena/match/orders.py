"""What a referee wants done: the only things that ever leave it."""

from enum import Enum
from typing import Any

from arena.match.facts import (
    DealReceipt,
    DealRevealed,
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    MatchStarted,
    StrikeIssued,
)
from arena.match.scalars import EntrantIndex, Instant, PromptId
from arena.rules.game import ChanceRequest
from arena.rules.value_class import value_class


class DecisionStatus(Enum):
    """What became of a decision."""

    ACCEPTED = "accepted"
    HELD = "held"
    LANDED = "landed"
    HOLD_CANCELLED = "hold_cancelled"
    REFUSED = "refused"


@value_class()
class DecisionResult:
    """Tell an entrant what became of its decision."""

    entrant: EntrantIndex
    prompt_id: PromptId
    action_id: int
    status: DecisionStatus
    reason: str = ""
    """Why it was refused: a rule code, or one of `refusals`."""
    late_us: int = 0
    """LATE: by how much."""


@value_class()
class TellEvent:
    """Tell everyone what they may know of an event of the running game."""

    event: Any


@value_class()
class AnnounceFact:
    """Tell everyone a fact of the match."""

    fact: MatchStarted | GameStarted | GameEnded | IntermissionStarted | DealRevealed | MatchEnded


@value_class()
class GiveReceipt:
    """Tell an entrant, and nobody else, what it may keep to check the deal later."""

    entrant: EntrantIndex
    receipt: DealReceipt


@value_class()
class Ask:
    """Put a prompt before an entrant, or tell it new times or options of one that it has."""

    entrant: EntrantIndex
    prompt: "PromptView"


@value_class()
class Withdraw:
    """Tell an entrant that a prompt is closed."""

    entrant: EntrantIndex
    prompt_id: PromptId


@value_class()
class DrawChance:
    """Draw something random for a game and give it back as an input before anything else."""

    game: int
    chance: ChanceRequest


@value_class()
class PromptView:
    """A prompt as its receiver sees it; the same value for all seats that are asked the same with the same times."""

    id: PromptId
    kind: str
    options: Any
    deadline: Instant | None
    """Last instant that counts, microseconds on the node's clock; None: an event closes it."""
    earliest: Instant | None
    lands: Instant | None


@value_class()
class TellStrike:
    """Tell an entrant, and nobody else, that it did not do its part."""

    struck: StrikeIssued


Order = DecisionResult | TellEvent | AnnounceFact | Ask | Withdraw | DrawChance | TellStrike | GiveReceipt


class Refusal:
    """Protocol reasons for a refused decision; rule codes come from the game."""

    UNKNOWN_PROMPT = "unknown_prompt"
    LATE = "late"
    ALREADY_ANSWERED = "already_answered"
    ACTION_ID_CONFLICT = "action_id_conflict"
    TOO_EARLY = "too_early"
    MALFORMED = "malformed"
    NOTE_TOO_LONG = "note_too_long"
    ENTROPY_MISMATCH = "entropy_mismatch"
