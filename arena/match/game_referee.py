"""Referees one game: puts the rules' questions, judges answers by their stamp, acts at deadlines.

Knows the rules only through `arena.rules.game`. Reads no clock: `at` is when something arrived or was due, `now` when
it is dealt with; a new prompt's time runs from `now`, so that a slow server costs no bot anything. Both in microseconds
on the node's clock.
"""

from collections.abc import Sequence
from typing import Any

from arena.match.deadlines import Deadlines
from arena.match.entrant_record import MAX_MISSED_WINDOWS, EntrantRecord
from arena.match.facts import StrikeIssued, StrikeKind, StrikePrompt
from arena.match.orders import (
    Ask,
    DecisionResult,
    DecisionStatus,
    DrawChance,
    Order,
    PromptView,
    Refusal,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.pace import Pace
from arena.match.prompts import ClosedPrompt, HeldMove, OpenGroup, PromptLog
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
    """One game at one table. Every method appends what is to be done to `orders`."""

    def __init__(
        self, game: Game, ruleset: Any, pace: Pace, setup: GameSetup, conducts: Sequence[EntrantRecord], desk: PromptLog
    ) -> None:
        """`conducts` by seat."""
        self.game = game
        self.pace = pace
        self.number = setup.number
        self.entrant_records = conducts
        self.prompt_log = desk
        self.state = game.initial_state(ruleset, setup)
        self.open_groups: dict[str, OpenGroup] = {}
        """By kind."""
        self.outcome: Outcome | None = None
        """How the game ended; None while it goes on."""
        self._deadlines = Deadlines(pace, conducts)
        self._is_live = pace.style is Style.LIVE
        self._leavers: list[Seat] = []
        """Seats that give up as soon as no draw is pending."""

    @property
    def chance(self) -> ChanceRequest | None:
        """What has to be drawn before anything else."""
        return self.game.chance_request(self.state)

    def proceed(self, orders: list[Order], at: int, now: int) -> None:
        """Go on after a transition: ask for the next draw, send leavers away, or put the open questions."""
        game = self.game
        chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        while self._leavers and chance is None and outcome is None:
            self._apply_step(orders, at, game.leave(self.state, self._leavers.pop(0)))
            chance, outcome = game.chance_request(self.state), game.outcome(self.state)
        self.outcome = outcome
        self._sync_prompts(orders, at, now)
        if chance is not None:
            orders.append(DrawChance(self.number, chance))

    def apply_draw(self, orders: list[Order], at: int, values: Sequence[int]) -> None:
        """Take the values that were drawn. The caller proceeds."""
        self._apply_step(orders, at, self.game.apply_chance(self.state, values))

    # ---- decisions

    def answer(
        self, orders: list[Order], at: int, now: int, seat: Seat, prompt_id: int, action_id: int, action: Any
    ) -> DecisionResult:
        """Judge a decision and do what follows from it; gives the answer, which is among the orders too."""
        if self._is_live:
            self._settle_other_prompts(orders, now, prompt_id)
        group = self._find_group(prompt_id)
        conduct = self.entrant_records[seat]
        if group is None or seat not in group.asked:
            reason, late = self.prompt_log.why_closed(at, prompt_id, conduct.entrant)
            given = DecisionResult(conduct.entrant, prompt_id, action_id, REFUSED, reason, late)
            return self._refuse(orders, seat, given, action)
        reason, late = self._why_refused(group, at, now, seat, action)
        if reason:
            given = DecisionResult(conduct.entrant, prompt_id, action_id, REFUSED, reason, late)
            return self._refuse(orders, seat, given, action)
        is_held = group.lands is not None and (at < group.lands or self._is_disputed())
        given = DecisionResult(conduct.entrant, prompt_id, action_id, DecisionStatus.HELD if is_held else ACCEPTED)
        orders.append(given)
        is_move = group.group.length is TimeLimit.TURN and self.game.is_move(action)
        conduct.note_answer(at - group.started, group.time_share(seat, at), is_move)
        if is_held:
            self._cancel_hold(orders, group)
            group.held = HeldMove(seat, action_id, action)
        else:
            self._accept_answer(orders, at, now, group, seat, action)
        return given

    def _settle_other_prompts(self, orders: list[Order], now: int, prompt_id: int) -> None:
        """An answer to another prompt ends the instant in which further ones could come for this one."""
        for waiting in list(self.open_groups.values()):
            if waiting.settles_at is not None and waiting.id != prompt_id and not waiting.is_disputed:
                self._settle_collected(orders, now, waiting)

    def _find_group(self, prompt_id: int) -> OpenGroup | None:
        for group in self.open_groups.values():
            if group.id == prompt_id:
                return group
        return None

    def strike_prompt_of(self, prompt_id: int, seat: Seat) -> StrikePrompt | None:
        """What a strike says of a question: one that is open, or ran out and is remembered; None: it is neither."""
        group = self._find_group(prompt_id)
        if group is not None and seat in group.asked:
            return group.strike_prompt_of(seat)
        closed = self.prompt_log.find_closed(prompt_id, self.entrant_records[seat].entrant)
        return None if closed is None else closed.asked

    def _refuse(self, orders: list[Order], seat: Seat, given: DecisionResult, action: Any) -> DecisionResult:
        orders.append(given)
        self._strike_refusal(orders, seat, given, action)
        return given

    def _why_refused(self, group: OpenGroup, at: int, now: int, seat: Seat, action: Any) -> tuple[str, int]:
        if seat in group.answers:
            return Refusal.ALREADY_ANSWERED, 0
        deadline = group.deadline
        if deadline is not None and at > deadline and not self._is_disputed():
            deadline = self._deadlines.extended_deadline(group, seat) or deadline
            if at > deadline:
                return Refusal.LATE, at - deadline
        code = None
        if action not in group.group.free:
            code = self.game.why_illegal(self.state, seat, action, group.group.kind)
        if code is None and group.earliest is not None and self._is_too_early(group, now, action):
            code = Refusal.TOO_EARLY
        return code or "", 0

    def _is_too_early(self, group: OpenGroup, now: int, action: Any) -> bool:
        """Whether callers have to wait; not while calls are collected, whoever has left meanwhile.

        By the present: a stamp says when an answer came at the earliest, and that must not be held against it.
        """
        if group.earliest is None or now >= group.earliest or group.is_disputed:
            return False
        return self.game.is_settling(action)

    def _strike_refusal(self, orders: list[Order], seat: Seat, given: DecisionResult, action: Any) -> None:
        """A refused answer is a strike: late, or against a rule.

        Stale and repeated ones are merely refused, and so are early calls (spec A11) and answers that were overtaken.
        """
        if given.reason in (Refusal.UNKNOWN_PROMPT, Refusal.ALREADY_ANSWERED, Refusal.TOO_EARLY):
            return
        closed = self.prompt_log.find_closed(given.prompt_id, given.entrant)
        if closed is not None and not closed.ran_out:
            return
        kind = StrikeKind.LATE if given.reason == Refusal.LATE else StrikeKind.ILLEGAL
        self._add_strike(orders, seat, kind, given.prompt_id, reason=given.reason, action=action)

    def _add_strike(self, orders: list[Order], seat: Seat, kind: StrikeKind, prompt_id: int, **rest: Any) -> None:
        """Count a fault and tell of it; `rest` are further fields of `StrikeIssued`."""
        conduct = self.entrant_records[seat]
        conduct.strikes[kind] += 1
        asked = self.strike_prompt_of(prompt_id, seat)
        orders.append(TellStrike(StrikeIssued(conduct.entrant, kind, prompt_id, asked=asked, **rest)))

    def _cancel_hold(self, orders: list[Order], group: OpenGroup) -> None:
        if group.held is not None:
            held, group.held = group.held, None
            entrant = self.entrant_records[held.seat].entrant
            orders.append(DecisionResult(entrant, group.id, held.action_id, DecisionStatus.HOLD_CANCELLED))

    def _accept_answer(self, orders: list[Order], at: int, now: int, group: OpenGroup, seat: Seat, action: Any) -> None:
        if group.held is not None:
            self._cancel_hold(orders, group)
        group.answers[seat] = action
        if group.group.closing is ClosingRule.ALL:
            group.waiting.discard(seat)
            if not group.waiting and not self.pace.fixed_window:
                self._close_window(orders, at, now, group)
        elif self.game.is_settling(action):
            if len(group.asked) == 1 and group.group.closing is ClosingRule.FIRST:
                self._settle_group(orders, at, now, group, {seat: action})
            elif group.settles_at is None:
                self._start_collecting(group, at)

    def _start_collecting(self, group: OpenGroup, at: int) -> None:
        """Let others answer too: in the same instant, or for the dispute time, when nothing else happens (spec A2)."""
        dispute_us = self.pace.dispute_us if group.group.closing is ClosingRule.DISPUTED else 0
        group.collects_until = at + max(1, dispute_us)
        group.settles_at = at + dispute_us

    def _settle_collected(self, orders: list[Order], now: int, group: OpenGroup) -> None:
        """Settle what came in together: it is for the game, not for the order of arrival, to say who counts."""
        settling = {seat: action for seat, action in group.answers.items() if self.game.is_settling(action)}
        self._settle_group(orders, group.settles_at or 0, now, group, settling)

    def _is_disputed(self) -> bool:
        for group in self.open_groups.values():  # noqa: SIM110  runs for every decision, a generator costs more
            if group.is_disputed:
                return True
        return False

    # ---- deadlines

    @property
    def due(self) -> int | None:
        """When something happens by itself next; None: never."""
        return self._deadlines.due(self.open_groups.values())

    def tick(self, orders: list[Order], at: int, now: int) -> None:
        """Do one thing that is due by `at`, the oldest first.

        At one instant a held move lands before a window ends, and that before an automatic move (spec A11).
        """
        groups = [group for group in self.open_groups.values() if group.is_disputed] or self.open_groups.values()
        ready = [(due, group) for group in groups if (due := self._deadlines.due_of(group)) is not None and due <= at]
        if not ready:
            return
        _, group = min(ready, key=lambda r: (r[0], r[1].held is None, r[1].group.length is TimeLimit.TURN, r[1].id))
        if group.settles_at is not None:
            self._settle_collected(orders, now, group)
        elif group.held is not None:
            self._land_held_move(orders, at, now, group, group.held)
        elif group.group.length is TimeLimit.TURN:
            self._move_for_absent(orders, at, now, group)
        elif group.group.closing is ClosingRule.ALL:
            self._close_window(orders, at, now, group)
        else:
            self._settle_group(orders, at, now, group, {})

    def _land_held_move(self, orders: list[Order], at: int, now: int, group: OpenGroup, held: HeldMove) -> None:
        group.held = None
        group.answers[held.seat] = held.action
        orders.append(
            DecisionResult(self.entrant_records[held.seat].entrant, group.id, held.action_id, DecisionStatus.LANDED)
        )
        self._settle_group(orders, at, now, group, {held.seat: held.action})

    def _close_window(self, orders: list[Order], at: int, now: int, group: OpenGroup) -> None:
        """Settle questions that were put to all, and note who did not answer."""
        for question in group.group.questions:
            if question.seat not in group.answers:
                self.entrant_records[question.seat].missed_in_row += 1
                self._add_strike(orders, question.seat, StrikeKind.MISSING, group.id)
        self._settle_group(orders, at, now, group, group.answers)

    def _move_for_absent(self, orders: list[Order], at: int, now: int, group: OpenGroup) -> None:
        seat = group.group.questions[0].seat
        action = self.game.automatic_action(self.state, seat, group.group.kind)
        conduct = self.entrant_records[seat]
        conduct.auto_in_row += 1
        self._add_strike(orders, seat, StrikeKind.MISSING, group.id, automatic=action)
        limit = self.pace.max_auto_moves
        if limit and conduct.auto_in_row >= limit:
            self._give_up(orders, seat)
        self._settle_group(orders, at, now, group, {seat: action})

    # ---- transitions

    def leave(self, orders: list[Order], at: int, now: int, seat: Seat) -> None:
        """A seat gives up: the rest of the match goes on without it."""
        self._give_up(orders, seat)
        self.proceed(orders, at, now)

    def queue_leave(self, seat: Seat) -> None:
        """A seat whose entrant gave up before: it leaves when the cards are dealt."""
        self._leavers.append(seat)

    def _give_up(self, orders: list[Order], seat: Seat) -> None:
        self._leavers.append(seat)
        conduct = self.entrant_records[seat]
        if not conduct.gone:
            conduct.gone = True
            self._add_strike(orders, seat, StrikeKind.GONE, 0)

    def _settle_group(self, orders: list[Order], at: int, now: int, group: OpenGroup, answers: dict[Seat, Any]) -> None:
        step = self.game.resolve(self.state, group.group.kind, answers)
        self._close_group(orders, at, group)
        self._apply_step(orders, at, step)
        self.proceed(orders, at, now)

    def _apply_step(self, orders: list[Order], at: int, step: Transition) -> None:
        self.state = step.state
        orders.extend([TellEvent(event) for event in step.events])
        self._deadlines.note_step(step.state.step, at)

    def _sync_prompts(self, orders: list[Order], at: int, now: int) -> None:
        """Bring the open prompts in line with the questions of the state."""
        state = self.state
        wanted = self.game.open_groups(state)
        for group in tuple(self.open_groups.values()):
            if not any(group.is_same_group(each) for each in wanted):
                self._close_group(orders, at, group)
        for asked in wanted:
            if self.state is not state:
                return  # a question that waits for nobody was settled at once, and what followed has been asked
            known = self.open_groups.get(asked.kind)
            if known is None:
                self._open_prompts(orders, at, now, asked)
            elif known.group is not asked and known.group != asked:
                self._update_prompts(orders, at, now, known, asked)

    def _open_prompts(self, orders: list[Order], at: int, now: int, wanted: QuestionGroup) -> None:
        group = OpenGroup(self.prompt_log.next_id(), wanted, now)
        self._deadlines.set_times(group, now)
        self.open_groups[wanted.kind] = group
        if wanted.closing is ClosingRule.ALL:
            group.waiting = {
                seat for seat in group.asked if self.entrant_records[seat].missed_in_row < MAX_MISSED_WINDOWS
            }
        for seat, view in group.views():
            orders.append(Ask(self.entrant_records[seat].entrant, view))
        if wanted.closing is ClosingRule.ALL and not group.waiting and not self.pace.fixed_window:
            self._close_window(orders, at, now, group)

    def _update_prompts(self, orders: list[Order], at: int, now: int, group: OpenGroup, wanted: QuestionGroup) -> None:
        """The same questions with fewer seats, other times or options: ids and answers stay."""
        before = group.group
        for seat in group.narrow(wanted):
            self._withdraw_prompt(orders, at, group, seat)
        if before.clock != wanted.clock:
            group.extra.clear()
        old_times = (group.deadline, group.earliest, group.lands)
        if (before.clock, before.length, before.earliest, before.lands) != (
            wanted.clock,
            wanted.length,
            wanted.earliest,
            wanted.lands,
        ):
            self._deadlines.set_times(group, now)
        has_new_times = old_times != (group.deadline, group.earliest, group.lands)
        if has_new_times:
            group.started = now
        if has_new_times or any(question not in before.questions for question in wanted.questions):
            self._resend_prompts(orders, group)
        if wanted.closing is ClosingRule.ALL and not group.waiting and not self.pace.fixed_window:
            self._close_window(orders, at, now, group)

    def _withdraw_prompt(self, orders: list[Order], at: int, group: OpenGroup, seat: Seat) -> None:
        if group.held is not None and group.held.seat == seat:
            self._cancel_hold(orders, group)
        entrant = self.entrant_records[seat].entrant
        self.prompt_log.add_closed(entrant, ClosedPrompt(group.id, seat in group.answers, at, ran_out=False))
        group.answers.pop(seat, None)
        if not any(self.game.is_settling(action) for action in group.answers.values()):
            group.settles_at = None
        group.waiting.discard(seat)
        orders.append(Withdraw(entrant, group.id))

    def _resend_prompts(self, orders: list[Order], group: OpenGroup) -> None:
        for seat, view in group.views():
            if seat not in group.answers:
                orders.append(Ask(self.entrant_records[seat].entrant, view))

    def _close_group(self, orders: list[Order], at: int, group: OpenGroup) -> None:
        if self.open_groups.get(group.group.kind) is not group:
            return
        del self.open_groups[group.group.kind]
        if group.held is not None:
            self._cancel_hold(orders, group)
        ran_out = group.deadline is not None and at >= group.deadline
        answered = ClosedPrompt(group.id, True, at, ran_out)
        for question in group.group.questions:
            conduct = self.entrant_records[question.seat]
            if question.seat in group.answers:
                self.prompt_log.add_closed(conduct.entrant, answered)
                continue
            asked = group.strike_prompt_of(question.seat) if ran_out else None
            self.prompt_log.add_closed(conduct.entrant, ClosedPrompt(group.id, False, at, ran_out, asked))
            orders.append(Withdraw(conduct.entrant, group.id))
            if self._deadlines.is_clock_paused(group, question.seat):
                conduct.charge_reconnect_allowance(group.started, at)

    # ---- connections and the server's own stalls

    def reconnect(self, orders: list[Order], at: int, seat: Seat) -> None:
        """A connection is back: its prompts show the deadline moved by what was taken from the purse."""
        conduct = self.entrant_records[seat]
        for group in self.open_groups.values():
            if seat not in group.asked or seat in group.answers or not self._deadlines.is_clock_paused(group, seat):
                continue
            group.extra[seat] = group.extra.get(seat, 0) + conduct.charge_reconnect_allowance(group.started, at)
            for asked, view in group.views():
                if asked == seat:
                    orders.append(Ask(conduct.entrant, view))

    def credit(self, us: int, at: int, upto: int) -> None:
        """The server itself stood still for so long until `at`: what is due is due later. Nothing came after `upto`."""
        self._deadlines.credit(self.open_groups.values(), us, at, upto)

    def prompts_of(self, seat: Seat) -> list[tuple[PromptView, bool]]:
        """The seat's open prompts as it sees them now, and whether it has answered each."""
        return [
            (view, seat in group.answers or group.held is not None)
            for group in self.open_groups.values()
            for asked, view in group.views()
            if asked == seat
        ]
