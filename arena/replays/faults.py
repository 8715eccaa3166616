"""Refusals and strikes as sentences: what was wrong, against which rule, by how much, and what happened instead."""

from collections.abc import Iterable
from typing import Any

from arena.match.conduct import PATIENCE_WINDOWS, Conduct
from arena.match.facts import FaultKind, Struck
from arena.match.orders import Answer, Order, Status, Strike
from arena.replays.voice import Voice
from arena.replays.words import REFUSALS, duration


def why_refused(answer: Answer, voice: Voice) -> str:
    """Say why an answer was refused, with the code that its bot was given."""
    words = REFUSALS.get(answer.reason) or voice.reason(answer.reason) or "it is refused"
    late = f" by {duration(answer.late_us)}" if answer.late_us else ""
    return f"{words}{late} ({answer.reason})"


def refusal_in(orders: Iterable[Order]) -> Answer | None:
    """The refused answer among the orders of one input."""
    return next((o for o in orders if isinstance(o, Answer) and o.status is Status.REFUSED), None)


def has_strike(orders: Iterable[Order]) -> bool:
    """Whether an input led to a strike."""
    return any(isinstance(order, Strike) for order in orders)


def fault_text(struck: Struck, voice: Voice, refused: Answer | None, words: str, allowed_us: int | None) -> str:
    """Say what a strike is for, behind the name of whom it is for.

    `refused` and `words` are the answer that was refused; `allowed_us` is how long a missing answer could have taken.
    """
    match struck.kind:
        case FaultKind.LATE | FaultKind.ILLEGAL:
            return f"{words}, which does not count: {'' if refused is None else why_refused(refused, voice)}"
        case FaultKind.MISSING:
            within = "in time" if allowed_us is None else f"within {duration(allowed_us)}"
            instead = "the game goes on without it"
            if struck.automatic is not None:
                instead = f"the automatic move is made for it: it {voice.action(struck.automatic)}"
            return f"gives no answer {within}; {instead}"
        case FaultKind.GONE:
            return "is gone for the rest of the match"


def fault_facts(struck: Struck, refused: Answer | None) -> dict[str, Any]:
    """The same for machines."""
    facts = {"fault": struck.kind.value, "entrant": struck.entrant, "prompt_id": struck.prompt_id}
    if struck.reason:
        facts |= {"reason": struck.reason, "late_us": 0 if refused is None else refused.late_us}
    return facts


def patience(conduct: Conduct, struck: Struck) -> str:
    """Say from when on nobody waits for a seat that answers no windows."""
    if struck.kind is FaultKind.MISSING and struck.automatic is None and conduct.missed_in_row == PATIENCE_WINDOWS:
        return f"; after {PATIENCE_WINDOWS} of these in a row nobody waits for it until it answers something"
    return ""
