"""Referees one game: asks the rules' questions, judges answers by their arrival time and acts at deadlines.

The referee knows the rules only through `arena.rules.game`, and it reads no clock. Each input comes with a `Handling`:
`at` is when the input arrived or was due, and `now` is when it is handled. A new prompt's time runs from `now`, so that
a slow server costs no bot any time.
"""

from collections.abc import Sequence
from typing import Any

from arena.match.deadlines import Deadlines
from arena.match.entrant_record import MAX_MISSED_WINDOWS, EntrantRecord
from arena.match.facts import NoAnswerGiven, StrikeIssued, StrikeKind, StrikePrompt
from arena.match.handling import Handling
from arena.match.orders import (
    Ask,
    DecisionResult,
    DecisionStatus,
    DrawChance,
    PromptView,
    Refusal,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.pace import Pace
from arena.match.prompts import ClosedPrompt, HeldMove, OpenGroup, PromptLog
from arena.match.scalars import Instant, PromptId
from arena.rules.game import (
    ChanceRequest,
    ClosingRule,
    Game,
    GameSetup,
    Outcome,
    QuestionGroup,
    Seat,
    Style,
    TimeLimit,
    Transition,
)

ACCEPTED, REFUSED = DecisionStatus.ACCEPTED, DecisionStatus.REFUSED


class GameReferee:
    """Referees one game at one table. Methods append their orders to `handling.orders`."""

    def __init__(
        self,
        game: Game,
        ruleset: Any,
        pace: Pace,
        setup: GameSetup,
        entrant_records: Sequence[EntrantRecord],
        prompt_log: PromptLog,
    ) -> None:
        """`entrant_records` has one record per seat, in seat order."""
        self.game = game
        self.pace = pace
        self.number = setup.number
        self.entrant_records = entrant_records
        self.prompt_log = prompt_log
        self.state = game.initial_state(ruleset, setup)
        self.open_groups: dict[str, OpenGroup] = {}
        """Open groups by the kind of their questions."""
        self.outcome: Outcome | None = None
        """How the game ended; None while it runs."""
        self._deadlines = Deadlines(pace, entrant_records)
        self._is_live = pace.style is Style.LIVE
        self._leavers: list[Seat] = []
        """Seats that leave as soon as no draw is pending."""

    @property
    def chance(self) -> ChanceRequest | None:
        """The draw that must be made before anything else; None if there is none."""
        return self.game.chance_request(self.state)

    def proceed(self, handling: Handling) -> None:
        """Continue after a transition: let seats leave, update the open prompts, and order the next draw."""
        game = self.game
        chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        while self._leavers and chance is None and outcome is None:
            self._apply_step(handling, game.leave(self.state, self._leavers.pop(0)))
            chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        self.outcome = outcome
        self._sync_prompts(handling)
        if chance is not None:
            handling.orders.append(DrawChance(self.number, chance))

    def apply_draw(self, handling: Handling, values: Sequence[int]) -> None:
        """Apply drawn values. The caller must then call `proceed`."""
        self._apply_step(handling, self.game.apply_chance(self.state, values))

    # ---- decisions

    def answer(
        self, handling: Handling, seat: Seat, prompt_id: PromptId, action_id: int, action: Any
    ) -> DecisionResult:
        """Judge a decision, apply its consequences, and return the result. The same result is among the orders."""
        if self._is_live:
            self._settle_other_prompts(handling, prompt_id)
        group = self._find_group(prompt_id)
        record, at = self.entrant_records[seat], handling.at
        if group is None or seat not in group.asked:
            reason, late = self.prompt_log.why_closed(at, prompt_id, record.entrant)
        else:
            reason, late = self._why_refused(handling, group, seat, action)
        if group is None or reason:
            retry_at = group.earliest if group is not None and reason == Refusal.TOO_EARLY else None
            result = DecisionResult(record.entrant, prompt_id, action_id, REFUSED, reason, late, retry_at)
            return self._refuse(handling, seat, result, action)
        is_held = group.lands is not None and (at < group.lands or self._is_disputed())
        result = DecisionResult(record.entrant, prompt_id, action_id, DecisionStatus.HELD if is_held else ACCEPTED)
        handling.orders.append(result)
        is_move = group.group.length is TimeLimit.TURN and self.game.is_move(action)
        record.note_answer(at - group.started, group.time_share(seat, at), is_move)
        if is_held:
            self._cancel_hold(handling, group)
            group.held = HeldMove(seat, action_id, action)
        else:
            self._accept_answer(handling, group, seat, action)
        return result

    def _settle_other_prompts(self, handling: Handling, prompt_id: PromptId) -> None:
        """Settle every other group that still collects simultaneous answers, except disputed groups.

        An answer to the prompt `prompt_id` ends the collecting in these groups.
        """
        for waiting in list(self.open_groups.values()):
            if waiting.settles_at is not None and waiting.id != prompt_id and not waiting.is_disputed:
                self._settle_collected(handling, waiting)

    def _find_group(self, prompt_id: PromptId) -> OpenGroup | None:
        for group in self.open_groups.values():
            if group.id == prompt_id:
                return group
        return None

    def strike_prompt_of(self, prompt_id: PromptId, seat: Seat) -> StrikePrompt | None:
        """Return the question that a strike is about; None if it is neither open nor remembered.

        Only questions that ran out unanswered are remembered.
        """
        group = self._find_group(prompt_id)
        if group is not None and seat in group.asked:
            return group.strike_prompt_of(seat)
        closed = self.prompt_log.find_closed(prompt_id, self.entrant_records[seat].entrant)
        return None if closed is None else closed.asked

    def _why_refused(self, handling: Handling, group: OpenGroup, seat: Seat, action: Any) -> tuple[str, int]:
        """Return why an answer to an open prompt is refused (empty if it counts), and its lateness in microseconds."""
        reason, late_us = self._why_too_late(handling.at, group, seat)
        if reason:
            return reason, late_us
        if action not in group.group.free:
            code = self.game.why_illegal(self.state, seat, action, group.group.kind)
            if code is not None:
                return code, 0
        # The guard time is compared with `now`. The arrival stamp is only the earliest possible time of arrival, so
        # a comparison with it could refuse an answer that came late enough. While disputed calls are collected, no
        # guard time applies.
        is_guarded = group.earliest is not None and handling.now < group.earliest and not group.is_disputed
        if is_guarded and self.game.is_settling(action):
            return Refusal.TOO_EARLY, 0
        return "", 0

    def _why_too_late(self, at: Instant, group: OpenGroup, seat: Seat) -> tuple[str, int]:
        """Return why a seat can no longer answer an open prompt (empty if it can), and its lateness in microseconds."""
        if group.is_settled(seat):
            return Refusal.ALREADY_ANSWERED, 0
        deadline = group.deadline
        if deadline is not None and at > deadline and not self._is_disputed():
            deadline = self._deadlines.extended_deadline(group, seat) or deadline
            if at > deadline:
                return Refusal.LATE, at - deadline
        return "", 0

    def go_without_answer(
        self, handling: Handling, seat: Seat, prompt_id: PromptId, action_id: int, given: NoAnswerGiven
    ) -> DecisionResult:
        """Go on without a seat's answer, because the seat said that it has none. Return the result for the seat.

        The seat gets a strike, unless its prompt is closed. The result is among the orders.
        """
        if self._is_live:
            self._settle_other_prompts(handling, prompt_id)
        group, record, at = self._find_group(prompt_id), self.entrant_records[seat], handling.at
        if group is None or seat not in group.asked:
            reason, late_us = self.prompt_log.why_closed(at, prompt_id, record.entrant)
        else:
            reason, late_us = self._why_too_late(at, group, seat)
        if group is None or reason:
            result = DecisionResult(record.entrant, prompt_id, action_id, REFUSED, reason, late_us)
            handling.orders.append(result)
            return result
        is_turn = group.group.length is TimeLimit.TURN
        is_held = is_turn and group.lands is not None and (at < group.lands or self._is_disputed())
        result = DecisionResult(record.entrant, prompt_id, action_id, DecisionStatus.HELD if is_held else ACCEPTED)
        handling.orders.append(result)
        if is_turn:
            self._move_without_answer(handling, group, seat, action_id, given, is_held=is_held)
        else:
            self._abstain(handling, group, seat, given)
        return result

    def _refuse(self, handling: Handling, seat: Seat, result: DecisionResult, action: Any) -> DecisionResult:
        """Report a refused answer, and return its result. Add a strike if it was late or broke a rule.

        Answers that are stale, repeated or overtaken earn no strike, nor do calls that are too early (spec A11).
        """
        handling.orders.append(result)
        if result.reason in (Refusal.UNKNOWN_PROMPT, Refusal.ALREADY_ANSWERED, Refusal.TOO_EARLY):
            return result
        closed = self.prompt_log.find_closed(result.prompt_id, result.entrant)
        if closed is not None and not closed.ran_out:
            return result
        kind = StrikeKind.LATE if result.reason == Refusal.LATE else StrikeKind.ILLEGAL
        if kind is StrikeKind.LATE and (asked := self.strike_prompt_of(result.prompt_id, seat)) is not None:
            self.entrant_records[seat].note_late_answer(handling.at - asked.at)
        self._add_strike(handling, seat, kind, result.prompt_id, reason=result.reason, action=action)
        return result

    def _add_strike(
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
        """Count and report a strike. `kind` and the arguments after it become fields of `StrikeIssued`."""
        record = self.entrant_records[seat]
        record.strikes[kind] += 1
        asked = self.strike_prompt_of(prompt_id, seat)
        struck = StrikeIssued(record.entrant, kind, prompt_id, reason, automatic, asked, action, no_answer)
        handling.orders.append(TellStrike(struck))

    def _cancel_hold(self, handling: Handling, group: OpenGroup) -> None:
        if group.held is not None:
            held, group.held = group.held, None
            entrant = self.entrant_records[held.seat].entrant
            handling.orders.append(DecisionResult(entrant, group.id, held.action_id, DecisionStatus.HOLD_CANCELLED))

    def _accept_answer(self, handling: Handling, group: OpenGroup, seat: Seat, action: Any) -> None:
        if group.held is not None:
            self._cancel_hold(handling, group)
        group.answers[seat] = action
        if self.pace.lag_purse:
            self._deadlines.settle_lag(group, seat, handling.at)
        if group.group.closing is ClosingRule.ALL:
            group.waiting.discard(seat)
            if not group.waiting and not self.pace.fixed_window:
                self._close_window(handling, group)
        elif self.game.is_settling(action):
            if len(group.asked) == 1 and group.group.closing is ClosingRule.FIRST:
                self._settle_group(handling, group, {seat: action})
            elif group.settles_at is None:
                # Other seats may still answer: at the same instant, or within the dispute time (spec A2).
                dispute_us = self.pace.dispute_us if group.group.closing is ClosingRule.DISPUTED else 0
                group.collects_until = Instant(handling.at + max(1, dispute_us))
                group.settles_at = Instant(handling.at + dispute_us)

    def _settle_collected(self, handling: Handling, group: OpenGroup) -> None:
        """Settle the collected answers as of `settles_at`. The game, not their order, decides which of them counts."""
        settling = {seat: action for seat, action in group.answers.items() if self.game.is_settling(action)}
        settled = Handling(group.settles_at or Instant(0), handling.now, handling.orders)
        self._settle_group(settled, group, settling)

    def _is_disputed(self) -> bool:
        for group in self.open_groups.values():  # noqa: SIM110  runs for every decision, a generator costs more
            if group.is_disputed:
                return True
        return False

    # ---- deadlines

    @property
    def due(self) -> Instant | None:
        """The next instant at which something happens without input; None if there is none."""
        return self._deadlines.due(self.open_groups.values())

    def tick(self, handling: Handling) -> None:
        """Handle the group that has been due longest, if any group is due by the input's instant.

        At the same instant, a held move lands before a window ends, and a window ends before an automatic move
        (spec A11).
        """
        groups = [group for group in self.open_groups.values() if group.is_disputed] or self.open_groups.values()
        upto = handling.at
        ready = [(due, group) for group in groups if (due := self._deadlines.due_of(group)) is not None and due <= upto]
        if not ready:
            return
        _, group = min(ready, key=lambda r: (r[0], r[1].held is None, r[1].group.length is TimeLimit.TURN, r[1].id))
        if group.settles_at is not None:
            self._settle_collected(handling, group)
        elif group.held is not None:
            self._land_held_move(handling, group, group.held)
        elif group.group.length is TimeLimit.TURN:
            self._move_for_absent(handling, group)
        elif group.group.closing is ClosingRule.ALL:
            self._close_window(handling, group)
        else:
            self._settle_group(handling, group, {})

    def _land_held_move(self, handling: Handling, group: OpenGroup, held: HeldMove) -> None:
        group.held = None
        group.answers[held.seat] = held.action
        handling.orders.append(
            DecisionResult(self.entrant_records[held.seat].entrant, group.id, held.action_id, DecisionStatus.LANDED)
        )
        self._settle_group(handling, group, {held.seat: held.action})

    def _close_window(self, handling: Handling, group: OpenGroup) -> None:
        """Settle a window that asks several seats, and add a strike for each missing answer."""
        for question in group.group.questions:
            if not group.is_settled(question.seat):
                self.entrant_records[question.seat].missed_in_row += 1
                self._deadlines.settle_lag(group, question.seat, handling.at)
                self._add_strike(handling, question.seat, StrikeKind.MISSING, group.id)
        self._settle_group(handling, group, group.answers)

    def _move_for_absent(self, handling: Handling, group: OpenGroup) -> None:
        seat = group.group.questions[0].seat
        action = self._choose_automatic_move(handling, group, seat, StrikeKind.MISSING)
        self._settle_group(handling, group, {seat: action})

    def _choose_automatic_move(
        self, handling: Handling, group: OpenGroup, seat: Seat, kind: StrikeKind, given: NoAnswerGiven | None = None
    ) -> Any:
        """Return the automatic move for a seat. Add a strike, and let the seat give up if there were too many."""
        action = self.game.automatic_action(self.state, seat, group.group.kind)
        record = self.entrant_records[seat]
        record.auto_in_row += 1
        self._deadlines.settle_lag(group, seat, handling.at)
        reason = "" if given is None else given.reason
        self._add_strike(handling, seat, kind, group.id, reason=reason, automatic=action, no_answer=given)
        limit = self.pace.max_auto_moves
        if limit and record.auto_in_row >= limit:
            self._give_up(handling, seat)
        return action

    def _move_without_answer(
        self, handling: Handling, group: OpenGroup, seat: Seat, action_id: int, given: NoAnswerGiven, *, is_held: bool
    ) -> None:
        """Make the automatic move for a seat that has no answer, or hold it until it may land."""
        action = self._choose_automatic_move(handling, group, seat, given.strike_kind, given)
        if not is_held:
            self._settle_group(handling, group, {seat: action})
            return
        self._cancel_hold(handling, group)
        group.held = HeldMove(seat, action_id, action)
        if self._leavers:
            self.proceed(handling)

    def _abstain(self, handling: Handling, group: OpenGroup, seat: Seat, given: NoAnswerGiven) -> None:
        """Let a window go on without the answer of a seat that has none."""
        self._deadlines.settle_lag(group, seat, handling.at)
        self._add_strike(handling, seat, given.strike_kind, group.id, reason=given.reason, no_answer=given)
        group.abstained |= {seat}
        group.waiting.discard(seat)
        if group.group.closing is ClosingRule.ALL and not group.waiting and not self.pace.fixed_window:
            self._close_window(handling, group)

    # ---- transitions

    def leave(self, handling: Handling, seat: Seat) -> None:
        """Let a seat give up. The match continues without this seat."""
        self._give_up(handling, seat)
        self.proceed(handling)

    def queue_leave(self, seat: Seat) -> None:
        """Queue a seat whose entrant gave up earlier. The seat leaves when no draw is pending."""
        self._leavers.append(seat)

    def _give_up(self, handling: Handling, seat: Seat) -> None:
        self._leavers.append(seat)
        record = self.entrant_records[seat]
        if not record.gone:
            record.gone = True
            self._add_strike(handling, seat, StrikeKind.GONE, PromptId(0))

    def _settle_group(self, handling: Handling, group: OpenGroup, answers: dict[Seat, Any]) -> None:
        step = self.game.resolve(self.state, group.group.kind, answers)
        self._close_group(handling, group)
        self._apply_step(handling, step)
        self.proceed(handling)

    def _apply_step(self, handling: Handling, step: Transition) -> None:
        self.state = step.state
        handling.orders.extend([TellEvent(event) for event in step.events])
        self._deadlines.note_step(step.state.step, handling.at)

    def _sync_prompts(self, handling: Handling) -> None:
        """Update the open prompts to match the questions of the state."""
        state = self.state
        wanted = self.game.open_groups(state)
        for group in tuple(self.open_groups.values()):
            if not any(group.is_same_group(each) for each in wanted):
                self._close_group(handling, group)
        for asked in wanted:
            if self.state is not state:
                return  # a group that waits for no seat was settled at once, and its follow-up prompts are open
            known = self.open_groups.get(asked.kind)
            if known is None:
                self._open_prompts(handling, asked)
            elif known.group is not asked and known.group != asked:
                self._update_prompts(handling, known, asked)

    def _open_prompts(self, handling: Handling, wanted: QuestionGroup) -> None:
        group = OpenGroup(self.prompt_log.next_id(), wanted, handling.now)
        self._deadlines.set_times(group, handling.now)
        self.open_groups[wanted.kind] = group
        if wanted.closing is ClosingRule.ALL:
            group.waiting = {
                seat for seat in group.asked if self.entrant_records[seat].missed_in_row < MAX_MISSED_WINDOWS
            }
        for seat, view in group.views():
            handling.orders.append(Ask(self.entrant_records[seat].entrant, view))
        if wanted.closing is ClosingRule.ALL and not group.waiting and not self.pace.fixed_window:
            self._close_window(handling, group)

    def _update_prompts(self, handling: Handling, group: OpenGroup, wanted: QuestionGroup) -> None:
        """Update a group that now has fewer seats, other times or other options. Ids and answers stay the same."""
        before = group.group
        for seat in group.narrow(wanted):
            self._withdraw_prompt(handling, group, seat)
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
                    handling.orders.append(Ask(self.entrant_records[seat].entrant, view))
        if wanted.closing is ClosingRule.ALL and not group.waiting and not self.pace.fixed_window:
            self._close_window(handling, group)

    def _withdraw_prompt(self, handling: Handling, group: OpenGroup, seat: Seat) -> None:
        if group.held is not None and group.held.seat == seat:
            self._cancel_hold(handling, group)
        entrant = self.entrant_records[seat].entrant
        self.prompt_log.add_closed(entrant, ClosedPrompt(group.id, group.is_settled(seat), handling.at, ran_out=False))
        group.answers.pop(seat, None)
        if not any(self.game.is_settling(action) for action in group.answers.values()):
            group.settles_at = None
        group.waiting.discard(seat)
        handling.orders.append(Withdraw(entrant, group.id))

    def _close_group(self, handling: Handling, group: OpenGroup) -> None:
        if self.open_groups.get(group.group.kind) is not group:
            return
        del self.open_groups[group.group.kind]
        if group.held is not None:
            self._cancel_hold(handling, group)
        at = handling.at
        ran_out = group.deadline is not None and at >= group.deadline
        answered = ClosedPrompt(group.id, True, at, ran_out)
        for question in group.group.questions:
            record = self.entrant_records[question.seat]
            if group.is_settled(question.seat):
                self.prompt_log.add_closed(record.entrant, answered)
                continue
            asked = group.strike_prompt_of(question.seat) if ran_out else None
            self.prompt_log.add_closed(record.entrant, ClosedPrompt(group.id, False, at, ran_out, asked))
            handling.orders.append(Withdraw(record.entrant, group.id))
            if self._deadlines.is_clock_paused(group, question.seat):
                record.reconnect.charge(group.started, at)

    # ---- connections and the server's own stalls

    def reconnect(self, handling: Handling, seat: Seat) -> None:
        """Handle a restored connection: the seat's deadlines move later by the time charged to its allowance."""
        record = self.entrant_records[seat]
        for group in self.open_groups.values():
            if seat not in group.asked or group.is_settled(seat) or not self._deadlines.is_clock_paused(group, seat):
                continue
            charged_us = record.reconnect.charge(group.started, handling.at)
            group.extra[seat] = group.extra.get(seat, 0) + charged_us
            for asked, view in group.views():
                if asked == seat:
                    handling.orders.append(Ask(record.entrant, view))

    def credit(self, us: int, at: Instant, upto: Instant) -> None:
        """Delay open prompts by `us` microseconds, the length of a stall that ended at `at`.

        The instants of steps move too, but not past `upto`.
        """
        self._deadlines.credit(self.open_groups.values(), us, at, upto)

    def prompts_of(self, seat: Seat) -> list[tuple[PromptView, bool]]:
        """Return the seat's open prompts as it sees them now, and whether each is answered."""
        return [
            (view, group.is_settled(seat) or group.held is not None)
            for group in self.open_groups.values()
            for asked, view in group.views()
            if asked == seat
        ]
