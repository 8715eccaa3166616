"""Describes strikes in sentences for the author's log, and names the protocol's reasons."""

from typing import TYPE_CHECKING

from cheatarena.v1 import error_reason_pb2

if TYPE_CHECKING:
    from cheatarena.match_facts import Strike

RETRYABLE_REASONS = frozenset(
    {
        "BAD_TARGET",
        "COUNT_MISMATCH",
        "ILLEGAL_COUNT",
        "ILLEGAL_CUT",
        "ILLEGAL_RANK",
        "MALFORMED",
        "NOTE_TOO_LONG",
        "NOT_ASKED",
        "NOT_CHEATER",
        "NOT_IN_HAND",
        "NOT_NOW",
        "NOT_PLAYABLE",
        "OPENING_MUST_MATCH",
        "PASS_NOT_ALLOWED",
        "TOO_EARLY",
        "TOO_FEW",
        "TOO_MANY",
    }
)
"""Known reasons after which another answer to the same prompt may succeed."""
_KNOWN_REASONS = frozenset(
    name.removeprefix("ERROR_REASON_") for name in error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name
)


def is_retryable(reason: str) -> bool:
    """Return whether another answer to the same prompt may succeed. A reason of a later version is like any other."""
    return reason in RETRYABLE_REASONS or reason not in _KNOWN_REASONS


RULE_REASONS = RETRYABLE_REASONS - {"NOTE_TOO_LONG", "TOO_EARLY"}
"""Reasons that name a rule of the game which the answer breaks."""


def reason_name(reason: int) -> str:
    """Return a reason's name without the prefix. For an unknown reason, return a text with the reason's number."""
    known = error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_number.get(reason)
    return known.name.removeprefix("ERROR_REASON_") if known else f"reason {reason}"


def describe_strike(strike: "Strike") -> str:
    """Return a strike as a sentence."""
    about = f"prompt {strike.prompt_id}" if strike.prompt_id else "this seat"
    match strike.kind:
        case "late":
            return f"strike: the answer to {about} came after its deadline"
        case "illegal":
            return f"strike: the answer to {about} broke a rule ({strike.reason})"
        case "missing":
            return f"strike: no answer to {about} came in time, and the server went on without it"
        case "crashed":
            return f"strike: the bot's code raised an exception at {about}, and the server went on without an answer"
        case "no_answer":
            return f"strike: the bot has no answer to {about}, and the server went on without it"
        case "gone":
            return "the seat is given up: it left, or too many moves in a row were automatic"
        case _:
            return f"strike of an unknown {strike.kind} about {about}"
