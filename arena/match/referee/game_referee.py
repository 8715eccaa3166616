"""Referees one game: asks the rules' questions, judges answers by their arrival time and acts at deadlines.

The referee knows the rules only through `arena.match.game`, and it reads no clock. Each input comes with a `Handling`:
`at` is when the input arrived or was due, and `now` is when it is handled. A new prompt's time runs from `now`, so that
a slow server costs no bot any time.
"""

from collections.abc import Sequence
from typing import Any

from arena.match.game import (
    ChanceRequest,
    ClosingRule,
    Game,
    GameSetup,
    Outcome,
    Seat,
    Style,
    TimeLimit,
    Transition,
)
from arena.match.referee.deadlines import Deadlines
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import NoAnswerGiven, StrikeKind
from arena.match.referee.open_group import HeldMove, OpenGroup
from arena.match.referee.open_prompts import OpenPrompts
from arena.match.referee.orders import DecisionResult, DecisionStatus, DrawChance, Handling, Refusal, TellEvent
from arena.match.referee.pace import Pace
from arena.match.referee.prompt_log import PromptLog
from arena.match.referee.scalars import Instant, PromptId
from arena.match.referee.strike_issuer import StrikeIssuer, mark_gone

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
        self.state = game.initial_state(ruleset, setup)
        self.outcome: Outcome | None = None
        """How the game ended; None while it runs."""
        self._entrant_records = entrant_records
        self._deadlines = Deadlines(pace, entrant_records)
        self.prompts = OpenPrompts(game.is_settling, pace.fixed_window, self._deadlines, entrant_records, prompt_log)
        self._strikes = StrikeIssuer(entrant_records, self.prompts, prompt_log)
        self._is_live = pace.style is Style.LIVE
        self._leavers: list[Seat] = []
        """Seats that leave as soon as no draw is pending."""

    # ---- answers

    def answer(
        self, handling: Handling, seat: Seat, prompt_id: PromptId, action_id: int, action: Any
    ) -> DecisionResult:
        """Judge a decision, apply its consequences, and return the result. The same result is among the orders."""
        if self._is_live:
            self._settle_other_groups(handling, prompt_id)
        group, record, at = self.prompts.find(prompt_id, seat), self._entrant_records[seat], handling.at
        reason, late_us = self.prompts.why_closed(at, prompt_id, seat, group)
        if group is not None and not reason:
            reason = self._why_refused(handling.now, group, seat, action)
        if group is None or reason:
            retry_at = group.earliest if group is not None and reason == Refusal.TOO_EARLY else None
            result = DecisionResult(record.entrant, prompt_id, action_id, REFUSED, reason, late_us, retry_at)
            handling.orders.append(result)
            self._strikes.judge_refusal(handling, seat, result, action)
            return result
        is_held = group.lands is not None and (at < group.lands or self.prompts.is_disputed())
        result = DecisionResult(record.entrant, prompt_id, action_id, DecisionStatus.HELD if is_held else ACCEPTED)
        handling.orders.append(result)
        is_move = group.group.length is TimeLimit.TURN and self.game.is_move(action)
        record.note_answer(at - group.started, group.time_share(seat, at), is_move)
        if is_held:
            self.prompts.hold(handling, group, HeldMove(seat, action_id, action))
        else:
            self._accept_answer(handling, group, seat, action)
        return result

    def _settle_other_groups(self, handling: Handling, prompt_id: PromptId) -> None:
        """Settle every other group that still collects simultaneous answers, except disputed groups.

        An answer to the prompt `prompt_id` ends the collecting in these groups.
        """
        for waiting in list(self.prompts.groups.values()):
            if waiting.settles_at is not None and waiting.id != prompt_id and not waiting.is_disputed:
                self._settle_collected(handling, waiting)

    def _why_refused(self, now: Instant, group: OpenGroup, seat: Seat, action: Any) -> str:
        """Return why an answer to an open prompt is refused although it is in time; empty if it counts."""
        if action not in group.group.free:
            code = self.game.why_illegal(self.state, seat, action, group.group.kind)
            if code is not None:
                return code
        # The guard time is compared with `now`. The arrival stamp is only the earliest possible time of arrival, so
        # a comparison with it could refuse an answer that came late enough. While disputed calls are collected, no
        # guard time applies.
        is_guarded = group.earliest is not None and now < group.earliest and not group.is_disputed
        return Refusal.TOO_EARLY if is_guarded and self.game.is_settling(action) else ""

    def _accept_answer(self, handling: Handling, group: OpenGroup, seat: Seat, action: Any) -> None:
        if group.held is not None:
            self.prompts.cancel_hold(handling, group)
        group.answers[seat] = action
        if self.pace.lag_purse:
            self._deadlines.settle_lag(group, seat, handling.at)
        if group.group.closing is ClosingRule.ALL:
            group.waiting.discard(seat)
            if group.is_complete:
                self._close_window(handling, group)
        elif self.game.is_settling(action):
            if len(group.asked) == 1 and group.group.closing is ClosingRule.FIRST:
                self._settle_group(handling, group, {seat: action})
            elif group.settles_at is None:
                # Other seats may still answer: at the same instant, or within the dispute time (spec A2).
                dispute_us = self.pace.dispute_us if group.group.closing is ClosingRule.DISPUTED else 0
                group.collects_until = Instant(handling.at + max(1, dispute_us))
                group.settles_at = Instant(handling.at + dispute_us)

    # ---- seats without an answer

    def go_without_answer(
        self, handling: Handling, seat: Seat, prompt_id: PromptId, action_id: int, given: NoAnswerGiven
    ) -> DecisionResult:
        """Go on without a seat's answer, because the seat said that it has none. Return the result for the seat.

        The seat gets a strike, unless its prompt is closed. The result is among the orders.
        """
        if self._is_live:
            self._settle_other_groups(handling, prompt_id)
        group, record, at = self.prompts.find(prompt_id, seat), self._entrant_records[seat], handling.at
        reason, late_us = self.prompts.why_closed(at, prompt_id, seat, group)
        if group is None or reason:
            result = DecisionResult(record.entrant, prompt_id, action_id, REFUSED, reason, late_us)
            handling.orders.append(result)
            return result
        is_turn = group.group.length is TimeLimit.TURN
        is_held = is_turn and group.lands is not None and (at < group.lands or self.prompts.is_disputed())
        result = DecisionResult(record.entrant, prompt_id, action_id, DecisionStatus.HELD if is_held else ACCEPTED)
        handling.orders.append(result)
        if not is_turn:
            self._abstain(handling, group, seat, given)
            return result
        action = self._choose_automatic_move(handling, group, seat, given)
        if not is_held:
            self._settle_group(handling, group, {seat: action})
            return result
        self.prompts.hold(handling, group, HeldMove(seat, action_id, action))
        if self._leavers:
            self.proceed(handling)
        return result

    def _choose_automatic_move(
        self, handling: Handling, group: OpenGroup, seat: Seat, given: NoAnswerGiven | None = None
    ) -> Any:
        """Return the automatic move for a seat. Issue a strike, and let the seat give up if it got too many in a row.

        `given` is what the seat said instead of an answer; None if it said nothing.
        """
        action = self.game.automatic_action(self.state, seat, group.group.kind)
        record = self._entrant_records[seat]
        record.auto_in_row += 1
        self._deadlines.settle_lag(group, seat, handling.at)
        kind, reason = (StrikeKind.MISSING, "") if given is None else (given.strike_kind, given.reason)
        self._strikes.issue(handling, seat, kind, group.id, reason=reason, automatic=action, no_answer=given)
        limit = self.pace.max_auto_moves
        if limit and record.auto_in_row >= limit:
            self._give_up(handling, seat)
        return action

    def _abstain(self, handling: Handling, group: OpenGroup, seat: Seat, given: NoAnswerGiven) -> None:
        """Let a window go on without the answer of a seat that has none."""
        self._deadlines.settle_lag(group, seat, handling.at)
        self._strikes.issue(handling, seat, given.strike_kind, group.id, reason=given.reason, no_answer=given)
        group.abstained |= {seat}
        group.waiting.discard(seat)
        if group.is_complete:
            self._close_window(handling, group)

    # ---- deadlines

    @property
    def due(self) -> Instant | None:
        """The next instant at which something happens without input; None if there is none."""
        return self._deadlines.due(self.prompts.groups.values())

    def tick(self, handling: Handling) -> None:
        """Handle the group that has been due longest, if any group is due by the input's instant.

        At the same instant, a held move lands before a window ends, and a window ends before an automatic move
        (spec A11).
        """
        every = self.prompts.groups.values()
        groups = [group for group in every if group.is_disputed] or every
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
            seat = group.group.questions[0].seat
            self._settle_group(handling, group, {seat: self._choose_automatic_move(handling, group, seat)})
        elif group.group.closing is ClosingRule.ALL:
            self._close_window(handling, group)
        else:
            self._settle_group(handling, group, {})

    def _land_held_move(self, handling: Handling, group: OpenGroup, held: HeldMove) -> None:
        group.held = None
        group.answers[held.seat] = held.action
        handling.orders.append(
            DecisionResult(self._entrant_records[held.seat].entrant, group.id, held.action_id, DecisionStatus.LANDED)
        )
        self._settle_group(handling, group, {held.seat: held.action})

    def credit(self, us: int, at: Instant, upto: Instant) -> None:
        """Delay open prompts by `us` microseconds, the length of a stall that ended at `at`.

        The instants of steps move too, but not past `upto`.
        """
        self._deadlines.credit(self.prompts.groups.values(), us, at, upto)

    # ---- settling groups

    def _settle_collected(self, handling: Handling, group: OpenGroup) -> None:
        """Settle the collected answers as of `settles_at`. The game, not their order, decides which of them counts."""
        settling = {seat: action for seat, action in group.answers.items() if self.game.is_settling(action)}
        settled = Handling(group.settles_at or Instant(0), handling.now, handling.orders)
        self._settle_group(settled, group, settling)

    def _close_window(self, handling: Handling, group: OpenGroup) -> None:
        """Settle a window that asks several seats, and issue a strike for each missing answer."""
        for question in group.group.questions:
            if not group.is_settled(question.seat):
                self._entrant_records[question.seat].missed_in_row += 1
                self._deadlines.settle_lag(group, question.seat, handling.at)
                self._strikes.issue(handling, question.seat, StrikeKind.MISSING, group.id)
        self._settle_group(handling, group, group.answers)

    def _settle_group(self, handling: Handling, group: OpenGroup, answers: dict[Seat, Any]) -> None:
        step = self.game.resolve(self.state, group.group.kind, answers)
        self.prompts.close(handling, group)
        self._apply_step(handling, step)
        self.proceed(handling)

    # ---- transitions

    @property
    def chance(self) -> ChanceRequest | None:
        """The draw that must be made before anything else; None if there is none."""
        return self.game.chance_request(self.state)

    def apply_draw(self, handling: Handling, values: Sequence[int]) -> None:
        """Apply drawn values. The caller must then call `proceed`."""
        self._apply_step(handling, self.game.apply_chance(self.state, values))

    def leave(self, handling: Handling, seat: Seat) -> None:
        """Let a seat give up. The match continues without this seat."""
        self._give_up(handling, seat)
        self.proceed(handling)

    def queue_leave(self, seat: Seat) -> None:
        """Queue a seat whose entrant gave up earlier. The seat leaves when no draw is pending."""
        self._leavers.append(seat)

    def _give_up(self, handling: Handling, seat: Seat) -> None:
        self._leavers.append(seat)
        mark_gone(self._entrant_records[seat], handling.orders)

    def proceed(self, handling: Handling) -> None:
        """Continue after a transition: let seats leave, update the open prompts, and order the next draw."""
        game = self.game
        chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        while self._leavers and chance is None and outcome is None:
            self._apply_step(handling, game.leave(self.state, self._leavers.pop(0)))
            chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        self.outcome = outcome
        complete_window = self.prompts.ask(handling, game.open_groups(self.state))
        if complete_window is not None:
            self._close_window(handling, complete_window)
        if chance is not None:
            handling.orders.append(DrawChance(self.number, chance))

    def _apply_step(self, handling: Handling, step: Transition) -> None:
        self.state = step.state
        handling.orders.extend([TellEvent(event) for event in step.events])
        self._deadlines.note_step(step.state.step, handling.at)
