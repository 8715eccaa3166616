"""Describes strikes in sentences for the author's log, and names the protocol's reasons."""

from cheatarena.v1 import error_reason_pb2, event_pb2

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


def describe_strike(fault: event_pb2.Fault) -> str:
    """Return a strike as a sentence."""
    about = f"prompt {fault.prompt_id}" if fault.prompt_id else "this seat"
    match fault.kind:
        case event_pb2.FAULT_KIND_LATE:
            return f"strike: the answer to {about} came after its deadline"
        case event_pb2.FAULT_KIND_ILLEGAL:
            return f"strike: the answer to {about} broke a rule ({reason_name(fault.reason)})"
        case event_pb2.FAULT_KIND_MISSING:
            return f"strike: no answer to {about} came in time, and the server went on without it"
        case event_pb2.FAULT_KIND_CRASHED:
            return f"strike: the bot's code raised an exception at {about}, and the server went on without an answer"
        case event_pb2.FAULT_KIND_NO_ANSWER:
            return f"strike: the bot has no answer to {about}, and the server went on without it"
        case event_pb2.FAULT_KIND_GONE:
            return "the seat is given up: it left, or too many moves in a row were automatic"
        case _:
            return f"strike of an unknown kind {fault.kind} about {about}"
