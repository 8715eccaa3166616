"""Computes the deadlines of open questions from the pace, the instants of the game's steps and the entrants' clocks.

Answers are judged by these deadlines. The node acts on a deadline a little later, after the read margin
(`arena.server.node.timers`). By then it has read the answers that arrived in time.
"""

from collections.abc import Iterable, Sequence

from arena.match.game import ClosingRule, Seat, Style, TimeLimit
from arena.match.referee.entrant_clock import MAX_GRANT_US
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.open_group import OpenGroup
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import Instant

_MAX_STEPS = 256
"""The instants of at least this many of the latest steps are kept. No question refers to an older step."""


class Deadlines:
    def __init__(self, pace: Pace, entrant_records: Sequence[EntrantRecord]) -> None:
        """`entrant_records` has one record per seat, in seat order."""
        self._pace = pace
        self._clocks = [record.clock for record in entrant_records]
        """The clock of each seat."""
        self._has_purses = pace.lag_purse
        self._lag_margin_us = MAX_GRANT_US if pace.lag_purse else 0
        """How long after its deadline a group closes, so that its end does not reveal how far away a bot is."""
        self._is_live = pace.style is Style.LIVE
        self._step_at: dict[int, Instant] = {}

    def note_step(self, step: int, at: Instant) -> None:
        """Note when a step of the game happened. Only the live style measures times from steps."""
        if not self._is_live:
            return
        self._step_at.setdefault(step, at)
        if len(self._step_at) > 2 * _MAX_STEPS:
            for old in list(self._step_at)[:_MAX_STEPS]:
                del self._step_at[old]

    def set_times(self, group: OpenGroup, now: Instant) -> None:
        """Set a group's deadline, the earliest instant of a call, and the instant at which a held move lands."""
        wanted, pace = group.group, self._pace
        length = pace.length_us(wanted.length)
        start = self._step_at.get(wanted.clock, now) if self._is_live else now
        group.deadline = None if length is None else Instant(start + length)
        group.earliest = None if wanted.earliest is None else Instant(self._step_at[wanted.earliest] + pace.guard_us)
        group.lands = None if wanted.lands is None else Instant(self._step_at[wanted.lands] + pace.hold_us)
        if self._has_purses and group.deadline is not None:
            self._grant_lag(group)

    def _grant_lag(self, group: OpenGroup) -> None:
        """Extend each seat's deadline by the extension that its lag purse grants."""
        for seat in group.asked:
            granted, before = self._clocks[seat].grant_us, group.lag_grants.get(seat, 0)
            if granted or before:
                group.lag_grants[seat] = granted
                group.extra[seat] = group.extra.get(seat, 0) - before + granted

    def settle_lag(self, group: OpenGroup, seat: Seat, at: Instant) -> None:
        """Charge a seat's lag purse for the time used until `at`. If the seat has answered, also refill the purse."""
        if not self._has_purses or (deadline := group.deadline_of(seat)) is None:
            return
        clock, granted = self._clocks[seat], group.lag_grants.get(seat, 0)
        clock.charge_lag(max(0, min(granted, at - (deadline - granted))))
        if seat in group.answers:
            clock.refill()

    def due(self, groups: Iterable[OpenGroup]) -> Instant | None:
        """Return the next instant at which something happens without input; None if there is none."""
        earliest: Instant | None = None
        is_plain = not (self._is_live or self._has_purses or self._is_anyone_disconnected())
        for group in groups:
            if is_plain and group.settles_at is None and not group.extra:
                due = group.deadline
            elif group.is_disputed:
                return group.collects_until
            else:
                due = self.due_of(group)
            if due is not None and (earliest is None or due < earliest):
                earliest = due
        return earliest

    def due_of(self, group: OpenGroup) -> Instant | None:
        """Return when this group ends if no further input arrives; None if it waits for input without a limit."""
        if group.settles_at is not None:
            return group.collects_until
        if group.held is not None:
            return group.lands
        if group.deadline is None:
            return None
        end = Instant(group.deadline + self._lag_margin_us)
        if not (group.extra or self._is_anyone_disconnected()) or self.has_fixed_end(group):
            return end
        seats = group.waiting or group.asked - group.answers.keys() - group.abstained
        return max([end, *[self.extended_deadline(group, seat) or end for seat in seats]])

    def _is_anyone_disconnected(self) -> bool:
        for clock in self._clocks:  # noqa: SIM110  runs for every decision, a generator costs more
            if clock.disconnected_since is not None:
                return True
        return False

    def has_fixed_end(self, group: OpenGroup) -> bool:
        """Return whether the group ends at its deadline for every seat, including seats whose bots are disconnected."""
        if group.group.length is TimeLimit.REACTION:
            return self._pace.fixed_window or group.group.closing is ClosingRule.FIRST
        return False

    def extended_deadline(self, group: OpenGroup, seat: Seat) -> Instant | None:
        """Return a seat's deadline. While the seat's clock is paused, the rest of its reconnect allowance is added."""
        deadline = group.deadline_of(seat)
        if deadline is None or not self.is_clock_paused(group, seat):
            return deadline
        return Instant(deadline + self._clocks[seat].allowance_us)

    def is_clock_paused(self, group: OpenGroup, seat: Seat) -> bool:
        """Return whether a seat's clock is paused: its connection was lost at or before its deadline."""
        deadline, lost_from = group.deadline_of(seat), self._clocks[seat].disconnected_since
        return (
            deadline is not None and lost_from is not None and lost_from <= deadline and not self.has_fixed_end(group)
        )

    def credit(self, groups: Iterable[OpenGroup], us: int, at: Instant, upto: Instant) -> None:
        """Delay the groups by `us` microseconds, the length of a server stall that ended at `at`.

        A group that was due before the stall is not delayed, because the stall cost it no time. The instants of steps
        move too, but not past `upto`.
        """
        for step in self._step_at:
            self._step_at[step] = min(Instant(self._step_at[step] + us), upto)
        for group in groups:
            due = self.due_of(group)
            if due is None or due >= at - us:
                group.delay(us)
