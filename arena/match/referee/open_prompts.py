"""The open prompts of one game: asks, updates and withdraws questions, and says until when a seat may answer.

Of the game, this module knows only the groups of questions that it is given, and which answers settle a group.
"""

from collections.abc import Callable, Sequence
from typing import Any

from arena.match.game import ClosingRule, QuestionGroup, Seat
from arena.match.referee.deadlines import Deadlines
from arena.match.referee.entrant_record import MAX_MISSED_WINDOWS, EntrantRecord
from arena.match.referee.facts import StrikePrompt
from arena.match.referee.open_group import HeldMove, OpenGroup
from arena.match.referee.orders import Ask, DecisionResult, DecisionStatus, Handling, PromptView, Refusal, Withdraw
from arena.match.referee.prompt_log import ClosedPrompt, PromptLog
from arena.match.referee.scalars import Instant, PromptId


class OpenPrompts:
    """The open prompts of one game. Methods append their orders to `handling.orders`."""

    def __init__(
        self,
        is_settling: Callable[[Any], bool],
        has_fixed_windows: bool,
        deadlines: Deadlines,
        entrant_records: Sequence[EntrantRecord],
        prompt_log: PromptLog,
    ) -> None:
        """`is_settling` is that of the `Game`. `entrant_records` has one record per seat, in seat order.

        `has_fixed_windows` says whether a window lasts until its deadline even if no more answers can come.
        """
        self.groups: dict[str, OpenGroup] = {}
        """Open groups by the kind of their questions."""
        self._is_settling = is_settling
        self._has_fixed_windows = has_fixed_windows
        self._deadlines = deadlines
        self._entrant_records = entrant_records
        self._prompt_log = prompt_log

    # ---- queries

    def find(self, prompt_id: PromptId, seat: Seat) -> OpenGroup | None:
        """Return the open group with this prompt id if it asks this seat; otherwise None."""
        for group in self.groups.values():
            if group.id == prompt_id:
                return group if seat in group.asked else None
        return None

    def is_disputed(self) -> bool:
        """Return whether a call was made and other seats may still call."""
        for group in self.groups.values():  # noqa: SIM110  runs for every decision, a generator costs more
            if group.is_disputed:
                return True
        return False

    def why_closed(self, at: Instant, prompt_id: PromptId, seat: Seat, group: OpenGroup | None) -> tuple[str, int]:
        """Return why a seat can no longer answer a prompt (empty if it can), and its lateness in microseconds.

        `group` is what `find` returns for the prompt.
        """
        if group is None:
            return self._prompt_log.why_closed(at, prompt_id, self._entrant_records[seat].entrant)
        if group.is_settled(seat):
            return Refusal.ALREADY_ANSWERED, 0
        deadline = group.deadline
        if deadline is not None and at > deadline and not self.is_disputed():
            deadline = self._deadlines.extended_deadline(group, seat) or deadline
            if at > deadline:
                return Refusal.LATE, at - deadline
        return "", 0

    def strike_prompt_of(self, prompt_id: PromptId, seat: Seat) -> StrikePrompt | None:
        """Return the question that a strike is about; None if it is neither open nor remembered.

        Only questions that ran out unanswered are remembered.
        """
        group = self.find(prompt_id, seat)
        if group is not None:
            return group.strike_prompt_of(seat)
        closed = self._prompt_log.find_closed(prompt_id, self._entrant_records[seat].entrant)
        return None if closed is None else closed.asked

    def views_of(self, seat: Seat) -> list[tuple[PromptView, bool]]:
        """Return the seat's open prompts as it sees them now, and whether each is answered."""
        return [
            (view, group.is_settled(seat) or group.held is not None)
            for group in self.groups.values()
            for asked, view in group.views()
            if asked == seat
        ]

    # ---- opening and updating

    def ask(self, handling: Handling, wanted: Sequence[QuestionGroup]) -> OpenGroup | None:
        """Ask these groups of questions, and close all others. A seat that is asked already is told only what is new.

        Stop at the first window that is complete, and return it: its end decides what is asked next.
        """
        for group in tuple(self.groups.values()):
            if not any(group.is_same_group(each) for each in wanted):
                self.close(handling, group)
        for questions in wanted:
            known = self.groups.get(questions.kind)
            if known is None:
                known = self._open(handling, questions)
            elif known.group is not questions and known.group != questions:
                self._update(handling, known, questions)
            if known.is_complete:
                return known
        return None

    def _open(self, handling: Handling, wanted: QuestionGroup) -> OpenGroup:
        group = OpenGroup(self._prompt_log.next_id(), wanted, handling.now)
        self._deadlines.set_times(group, handling.now)
        self.groups[wanted.kind] = group
        if wanted.closing is ClosingRule.ALL:
            group.closes_early = not self._has_fixed_windows
            group.waiting = {
                seat for seat in group.asked if self._entrant_records[seat].missed_in_row < MAX_MISSED_WINDOWS
            }
        for seat, view in group.views():
            handling.orders.append(Ask(self._entrant_records[seat].entrant, view))
        return group

    def _update(self, handling: Handling, group: OpenGroup, wanted: QuestionGroup) -> None:
        """Update a group that now has fewer seats, other times or other options. Ids and answers stay the same."""
        before = group.group
        for seat in group.narrow(wanted):
            self._withdraw(handling, group, seat)
        if before.clock != wanted.clock:
            group.extra.clear()
            group.lag_grants.clear()
        old_times = (group.deadline, group.earliest, group.lands)
        if (before.clock, before.length, before.earliest, before.lands) != (
            wanted.clock,
            wanted.length,
            wanted.earliest,
            wanted.lands,
        ):
            self._deadlines.set_times(group, handling.now)
        has_new_times = old_times != (group.deadline, group.earliest, group.lands)
        if has_new_times:
            group.started = handling.now
        if has_new_times or any(question not in before.questions for question in wanted.questions):
            for seat, view in group.views():
                if not group.is_settled(seat):
                    handling.orders.append(Ask(self._entrant_records[seat].entrant, view))

    def reconnect(self, handling: Handling, seat: Seat) -> None:
        """Handle a restored connection: the seat's deadlines move later by the time charged to its allowance."""
        record = self._entrant_records[seat]
        for group in self.groups.values():
            if seat not in group.asked or group.is_settled(seat) or not self._deadlines.is_clock_paused(group, seat):
                continue
            charged_us = record.clock.charge_absence(group.started, handling.at)
            group.extra[seat] = group.extra.get(seat, 0) + charged_us
            for asked, view in group.views():
                if asked == seat:
                    handling.orders.append(Ask(record.entrant, view))

    # ---- closing

    def close(self, handling: Handling, group: OpenGroup) -> None:
        """Close a group if it is open, and withdraw its prompts from the seats that have not answered."""
        if self.groups.get(group.group.kind) is not group:
            return
        del self.groups[group.group.kind]
        if group.held is not None:
            self.cancel_hold(handling, group)
        at = handling.at
        ran_out = group.deadline is not None and at >= group.deadline
        answered = ClosedPrompt(group.id, True, at, ran_out)
        for question in group.group.questions:
            record = self._entrant_records[question.seat]
            if group.is_settled(question.seat):
                self._prompt_log.add_closed(record.entrant, answered)
                continue
            asked = group.strike_prompt_of(question.seat) if ran_out else None
            self._prompt_log.add_closed(record.entrant, ClosedPrompt(group.id, False, at, ran_out, asked))
            handling.orders.append(Withdraw(record.entrant, group.id))
            if self._deadlines.is_clock_paused(group, question.seat):
                record.clock.charge_absence(group.started, at)

    def _withdraw(self, handling: Handling, group: OpenGroup, seat: Seat) -> None:
        """Withdraw the prompt of one seat, and forget the seat's answer."""
        if group.held is not None and group.held.seat == seat:
            self.cancel_hold(handling, group)
        entrant = self._entrant_records[seat].entrant
        self._prompt_log.add_closed(entrant, ClosedPrompt(group.id, group.is_settled(seat), handling.at, ran_out=False))
        group.answers.pop(seat, None)
        if not any(self._is_settling(action) for action in group.answers.values()):
            group.settles_at = None
        group.waiting.discard(seat)
        handling.orders.append(Withdraw(entrant, group.id))

    # ---- held moves

    def hold(self, handling: Handling, group: OpenGroup, held: HeldMove) -> None:
        """Hold a move until it may land. It takes the place of an earlier held move."""
        self.cancel_hold(handling, group)
        group.held = held

    def cancel_hold(self, handling: Handling, group: OpenGroup) -> None:
        """Drop the group's held move, if it has one, and tell the entrant that moved."""
        if group.held is not None:
            held, group.held = group.held, None
            entrant = self._entrant_records[held.seat].entrant
            handling.orders.append(DecisionResult(entrant, group.id, held.action_id, DecisionStatus.HOLD_CANCELLED))
