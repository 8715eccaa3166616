"""Issues strikes: counts them in the entrants' records and tells the entrants about them."""

from collections.abc import Sequence
from typing import Any

from arena.match.game import Seat
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import NoAnswerGiven, StrikeIssued, StrikeKind
from arena.match.referee.open_prompts import OpenPrompts
from arena.match.referee.orders import DecisionResult, Handling, Order, Refusal, TellStrike
from arena.match.referee.prompt_log import PromptLog
from arena.match.referee.scalars import PromptId

FORGIVEN_REFUSALS = (Refusal.UNKNOWN_PROMPT, Refusal.ALREADY_ANSWERED, Refusal.TOO_EARLY)
"""Answers that are stale, repeated or too early earn no strike (spec A11)."""


def issue_strike(record: EntrantRecord, struck: StrikeIssued, orders: list[Order]) -> None:
    """Count a strike in the record of its entrant, and order that the entrant is told."""
    record.strikes[struck.kind] += 1
    orders.append(TellStrike(struck))


def mark_gone(record: EntrantRecord, orders: list[Order]) -> None:
    """Mark an entrant that gives up as gone, with a strike. If it is gone already, do nothing."""
    if not record.gone:
        record.gone = True
        issue_strike(record, StrikeIssued(record.entrant, StrikeKind.GONE), orders)


class StrikeIssuer:
    """Issues the strikes of one game that concern a prompt."""

    def __init__(self, entrant_records: Sequence[EntrantRecord], prompts: OpenPrompts, prompt_log: PromptLog) -> None:
        """`entrant_records` has one record per seat, in seat order."""
        self._entrant_records = entrant_records
        self._prompts = prompts
        self._prompt_log = prompt_log

    def issue(
        self,
        handling: Handling,
        seat: Seat,
        kind: StrikeKind,
        prompt_id: PromptId,
        *,
        reason: str = "",
        action: Any = None,
        automatic: Any = None,
        no_answer: NoAnswerGiven | None = None,
    ) -> None:
        """Issue a strike. `kind` and the arguments after it become fields of `StrikeIssued`."""
        record = self._entrant_records[seat]
        asked = self._prompts.strike_prompt_of(prompt_id, seat)
        struck = StrikeIssued(record.entrant, kind, prompt_id, reason, automatic, asked, action, no_answer)
        issue_strike(record, struck, handling.orders)

    def judge_refusal(self, handling: Handling, seat: Seat, result: DecisionResult, action: Any) -> None:
        """Issue a strike for a refused answer if it was late or broke a rule.

        An answer to a prompt that closed before its time had run out was overtaken, and earns no strike (spec A11).
        """
        if result.reason in FORGIVEN_REFUSALS:
            return
        closed = self._prompt_log.find_closed(result.prompt_id, result.entrant)
        if closed is not None and not closed.ran_out:
            return
        kind = StrikeKind.LATE if result.reason == Refusal.LATE else StrikeKind.ILLEGAL
        if kind is StrikeKind.LATE and (asked := self._prompts.strike_prompt_of(result.prompt_id, seat)) is not None:
            self._entrant_records[seat].note_late_answer(handling.at - asked.at)
        self.issue(handling, seat, kind, result.prompt_id, reason=result.reason, action=action)
