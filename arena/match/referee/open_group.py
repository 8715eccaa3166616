"""The record of one open group of questions: its instants, and what its seats have answered so far."""

from typing import Any

from arena.match.game import ClosingRule, QuestionGroup, Seat
from arena.match.referee.facts import StrikePrompt
from arena.match.referee.orders import PromptView
from arena.match.referee.scalars import Instant, PromptId
from arena.match.value_class import value_class


@value_class()
class HeldMove:
    """A legal live move that is held until it may land."""

    seat: Seat
    action_id: int
    action: Any


class OpenGroup:
    """A group of open questions. The prompts of the group share one id, and the existence of the group is public."""

    __slots__ = (
        "abstained",
        "answers",
        "asked",
        "closes_early",
        "collects_until",
        "deadline",
        "earliest",
        "extra",
        "group",
        "held",
        "id",
        "lag_grants",
        "lands",
        "settles_at",
        "started",
        "waiting",
    )

    def __init__(self, prompt_id: PromptId, group: QuestionGroup, started: Instant) -> None:
        self.id = prompt_id
        self.group = group
        self.asked = {question.seat for question in group.questions}
        self.started = started
        self.deadline: Instant | None = None
        self.earliest: Instant | None = None
        self.lands: Instant | None = None
        self.answers: dict[Seat, Any] = {}
        self.abstained: frozenset[Seat] = frozenset()
        """Seats that said that they have no answer."""
        self.waiting: set[Seat] = set()
        """The seats that a window waits for: those asked that have neither answered nor missed too many windows."""
        self.closes_early = False
        """Whether this is a window that ends before its deadline if it waits for no seat."""
        self.extra: dict[Seat, int] = {}
        """Microseconds by which a seat's deadline is later, because of a lost connection and of its lag purse."""
        self.lag_grants: dict[Seat, int] = {}
        """The part of `extra` that lag purses grant."""
        self.held: HeldMove | None = None
        self.settles_at: Instant | None = None
        """When the collected answers take effect. It is None until an answer comes that can end the group."""
        self.collects_until: Instant | None = None
        """When the group closes: one microsecond, or the dispute time, after the first answer that can end it."""

    @property
    def is_disputed(self) -> bool:
        """Whether a call was made and the group still collects the calls of other seats."""
        return self.settles_at is not None and self.group.closing is ClosingRule.DISPUTED

    @property
    def is_complete(self) -> bool:
        """Whether this is a window that ends now, because it waits for no seat any more."""
        return self.closes_early and not self.waiting

    def is_settled(self, seat: Seat) -> bool:
        """Return whether a seat has answered, or has said that it has no answer."""
        return seat in self.answers or seat in self.abstained

    def is_same_group(self, group: QuestionGroup) -> bool:
        """Return whether these are the questions of this group. Some questions of the group may be missing."""
        return group.kind == self.group.kind and group.serial == self.group.serial

    def narrow(self, group: QuestionGroup) -> list[Seat]:
        """Continue as the same group with fewer questions or other times; return the seats no longer asked."""
        asked = {question.seat for question in group.questions}
        gone = sorted(self.asked - asked)
        self.group, self.asked = group, asked
        return gone

    def deadline_of(self, seat: Seat) -> Instant | None:
        """Return the last instant at which this seat's answer counts; None if it has no deadline."""
        return None if self.deadline is None else Instant(self.deadline + self.extra.get(seat, 0))

    def time_share(self, seat: Seat, at: Instant) -> float:
        """Return the share of its allowed time that a seat's answer took, 0 to 1; 0 if it has no deadline."""
        deadline = self.deadline_of(seat)
        if deadline is None:
            return 0.0
        since = self.started if self.earliest is None else max(self.started, self.earliest)
        return min(1.0, max(0, at - since) / max(1, deadline - since))

    def strike_prompt_of(self, seat: Seat) -> StrikePrompt:
        """Return this seat's question as a strike describes it."""
        return StrikePrompt(self.group.kind, self.started, self.deadline_of(seat))

    def delay(self, us: int) -> None:
        """Move every instant of the group by `us` microseconds."""
        self.started = Instant(self.started + us)
        self.settles_at = _delay(self.settles_at, us)
        self.collects_until = _delay(self.collects_until, us)
        self.deadline = _delay(self.deadline, us)
        self.earliest = _delay(self.earliest, us)
        self.lands = _delay(self.lands, us)

    def views(self) -> list[tuple[Seat, PromptView]]:
        """Return the prompts as their receivers see them. Equal consecutive prompts share one object."""
        views: list[tuple[Seat, PromptView]] = []
        last: PromptView | None = None
        for question in self.group.questions:
            seat, options = question.seat, question.options
            deadline = self.deadline_of(seat) if self.extra else self.deadline
            if last is None or last.deadline != deadline or (last.options is not options and last.options != options):
                last = PromptView(self.id, self.group.kind, options, deadline, self.earliest, self.lands)
            views.append((seat, last))
        return views


def _delay(at: Instant | None, us: int) -> Instant | None:
    return None if at is None else Instant(at + us)
