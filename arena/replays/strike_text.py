"""Words refusals and strikes: the offence, the rule, by how much, and the action taken instead."""

from collections.abc import Iterable
from typing import Any

from arena.match.entrant_record import MAX_MISSED_WINDOWS, EntrantRecord
from arena.match.facts import StrikeIssued, StrikeKind
from arena.match.orders import DecisionResult, DecisionStatus, Order, TellStrike
from arena.replays.phrasing import Phrasing
from arena.replays.text_format import REFUSALS, format_duration


def why_refused(answer: DecisionResult, voice: Phrasing) -> str:
    """Return why an answer was refused, with the code that its bot received."""
    words = REFUSALS.get(answer.reason) or voice.describe_reason(answer.reason) or "it is refused"
    late = f" by {format_duration(answer.late_us)}" if answer.late_us else ""
    return f"{words}{late} ({answer.reason})"


def find_refusal(orders: Iterable[Order]) -> DecisionResult | None:
    """Return the refused answer among the orders of one input."""
    return next((o for o in orders if isinstance(o, DecisionResult) and o.status is DecisionStatus.REFUSED), None)


def has_strike(orders: Iterable[Order]) -> bool:
    """Return whether an input led to a strike."""
    return any(isinstance(order, TellStrike) for order in orders)


def strike_text(
    struck: StrikeIssued, voice: Phrasing, refused: DecisionResult | None, words: str, allowed_us: int | None
) -> str:
    """Return the reason for a strike as a predicate that follows the name of its seat.

    `refused` is the refused answer and `words` describes it; `allowed_us` is the time limit of a missing answer.
    """
    match struck.kind:
        case StrikeKind.LATE | StrikeKind.ILLEGAL:
            return f"{words}, which does not count: {'' if refused is None else why_refused(refused, voice)}"
        case StrikeKind.MISSING:
            within = "in time" if allowed_us is None else f"within {format_duration(allowed_us)}"
            instead = "the game goes on without it"
            if struck.automatic is not None:
                instead = f"the automatic move is made for it: it {voice.describe_action(struck.automatic)}"
            return f"gives no answer {within}; {instead}"
        case StrikeKind.GONE:
            return "is gone for the rest of the match"


def strike_facts(struck: StrikeIssued, refused: DecisionResult | None) -> dict[str, Any]:
    """Return the data of a strike for machines."""
    facts: dict[str, Any] = {"fault": struck.kind.value, "entrant": struck.entrant, "prompt_id": struck.prompt_id}
    if struck.reason:
        facts |= {"reason": struck.reason, "late_us": 0 if refused is None else refused.late_us}
    return facts


def describe_lost_patience(record: EntrantRecord, struck: StrikeIssued) -> str:
    """Return the text for a seat that the match no longer waits for because it has missed too many windows."""
    if struck.kind is StrikeKind.MISSING and struck.automatic is None and record.missed_in_row == MAX_MISSED_WINDOWS:
        return f"; after {MAX_MISSED_WINDOWS} of these in a row nobody waits for it until it answers something"
    return ""
