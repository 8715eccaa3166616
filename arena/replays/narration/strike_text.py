"""Puts refusals and strikes into words: the offence, the broken rule, the delay, and the action taken instead."""

from collections.abc import Iterable
from typing import Any

from arena.match.referee.entrant_record import MAX_MISSED_WINDOWS, EntrantRecord
from arena.match.referee.facts import StrikeIssued, StrikeKind
from arena.match.referee.orders import DecisionResult, DecisionStatus, Order, TellStrike
from arena.match.referee.scalars import EntrantIndex
from arena.replays.narration.phrasing import Phrasing, describe_no_answer
from arena.replays.narration.text_format import REFUSALS, format_duration


def why_refused(answer: DecisionResult, phrasing: Phrasing) -> str:
    """Return why an answer was refused, with the code that its bot received."""
    words = describe_refusal(answer.reason, phrasing)
    late = f" by {format_duration(answer.late_us)}" if answer.late_us else ""
    return f"{words}{late} ({answer.reason})"


def describe_refusal(code: str, phrasing: Phrasing) -> str:
    """Return the reason behind a refusal code of the protocol or of the game's rules."""
    return REFUSALS.get(code) or phrasing.describe_reason(code) or "it is refused"


def find_refusal(orders: Iterable[Order], entrant: EntrantIndex) -> DecisionResult | None:
    """Return an entrant's refused answer among the orders of one input, or None."""
    answers = (order for order in orders if isinstance(order, DecisionResult) and order.entrant == entrant)
    return next((answer for answer in answers if answer.status is DecisionStatus.REFUSED), None)


def has_strike(orders: Iterable[Order], entrant: EntrantIndex) -> bool:
    """Return whether an input led to a strike against an entrant."""
    return any(isinstance(order, TellStrike) and order.struck.entrant == entrant for order in orders)


def strike_text(
    strike: StrikeIssued, phrasing: Phrasing, refused: DecisionResult | None, words: str, allowed_us: int | None
) -> str:
    """Return the reason for a strike as a predicate that follows the name of its seat.

    `refused` is the refused answer, if there is one, and `words` describes that answer. `allowed_us` is the time limit
    of a missing answer; None if there was no limit.
    """
    if strike.no_answer is not None:
        return f"{describe_no_answer(strike.no_answer, phrasing)}; {_instead_of_answer(strike, phrasing)}"
    match strike.kind:
        case StrikeKind.LATE | StrikeKind.ILLEGAL:
            return f"{words}, which does not count: {'' if refused is None else why_refused(refused, phrasing)}"
        case StrikeKind.MISSING:
            within = "in time" if allowed_us is None else f"within {format_duration(allowed_us)}"
            return f"gives no answer {within}; {_instead_of_answer(strike, phrasing)}"
        case StrikeKind.CRASHED | StrikeKind.NO_ANSWER:
            return f"has no answer; {_instead_of_answer(strike, phrasing)}"
        case StrikeKind.GONE:
            return "is gone for the rest of the match"


def _instead_of_answer(strike: StrikeIssued, phrasing: Phrasing) -> str:
    if strike.automatic is None:
        return "the game goes on without it"
    return f"the automatic move is made for it: it {phrasing.describe_action(strike.automatic)}"


def strike_data(strike: StrikeIssued, refused: DecisionResult | None) -> dict[str, Any]:
    data: dict[str, Any] = {"fault": strike.kind.value, "entrant": strike.entrant, "prompt_id": strike.prompt_id}
    if strike.reason:
        data |= {"reason": strike.reason, "late_us": 0 if refused is None else refused.late_us}
    return data


def describe_lost_patience(record: EntrantRecord, strike: StrikeIssued) -> str:
    """Return a remark on a strike after which the match no longer waits for the seat; empty for other strikes.

    The match stops waiting when a seat has missed MAX_MISSED_WINDOWS windows in a row.
    """
    if strike.kind is StrikeKind.MISSING and strike.automatic is None and record.missed_in_row == MAX_MISSED_WINDOWS:
        return f"; after {MAX_MISSED_WINDOWS} of these in a row nobody waits for it until it answers something"
    return ""
