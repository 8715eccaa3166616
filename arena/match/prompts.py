"""Open prompts of a game: one record a group of questions with marks for its answers; and the last closed ones."""

from typing import Any

from arena.match.facts import StrikePrompt
from arena.match.orders import PromptView, Refusal
from arena.match.scalars import EntrantIndex, Instant, PromptId
from arena.rules.game import ClosingRule, QuestionGroup, Seat
from arena.rules.value_class import value_class

RECENT_PROMPTS = 8
"""How many closed prompts of a seat still get a precise refusal (LATE or ALREADY_ANSWERED)."""


@value_class()
class HeldMove:
    """A legal live move that waits for its time."""

    seat: Seat
    action_id: int
    action: Any


class OpenGroup:
    """A group of questions that has been asked. All its prompts share one id; it is a public fact that they exist."""

    __slots__ = (
        "answers",
        "asked",
        "collects_until",
        "deadline",
        "earliest",
        "extra",
        "group",
        "held",
        "id",
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
        self.waiting: set[Seat] = set()
        """Seats without whose answer the group does not close before its deadline."""
        self.extra: dict[Seat, int] = {}
        """Microseconds by which a seat's deadline has moved because its connection was lost."""
        self.held: HeldMove | None = None
        self.settles_at: Instant | None = None
        """The instant that the first settling answer counts for."""
        self.collects_until: Instant | None = None
        """When the group closes after its first settling answer: in the next instant, or with the dispute time."""

    @property
    def is_disputed(self) -> bool:
        """Whether a call was made and nearer ones are still waited for."""
        return self.settles_at is not None and self.group.closing is ClosingRule.DISPUTED

    def is_same_group(self, group: QuestionGroup) -> bool:
        """Whether these are the questions that this is about, however few of them are left."""
        return group.kind == self.group.kind and group.serial == self.group.serial

    def narrow(self, group: QuestionGroup) -> list[Seat]:
        """Go on as the same group with fewer questions or other times; gives the seats that are asked no more."""
        asked = {question.seat for question in group.questions}
        gone = sorted(self.asked - asked)
        self.group, self.asked = group, asked
        return gone

    def deadline_of(self, seat: Seat) -> Instant | None:
        """The last instant at which this seat's answer counts."""
        return None if self.deadline is None else Instant(self.deadline + self.extra.get(seat, 0))

    def time_share(self, seat: Seat, at: Instant) -> float:
        """The part of its time that a seat's answer takes, 0 to 1, from when it may come; 0: it has no deadline."""
        deadline = self.deadline_of(seat)
        if deadline is None:
            return 0.0
        since = self.started if self.earliest is None else max(self.started, self.earliest)
        return min(1.0, max(0, at - since) / max(1, deadline - since))

    def strike_prompt_of(self, seat: Seat) -> StrikePrompt:
        """What a strike says of the question."""
        return StrikePrompt(self.group.kind, self.started, self.deadline_of(seat))

    def delay(self, us: int) -> None:
        """Everything about it happens so much later."""
        self.started = Instant(self.started + us)
        self.settles_at = _delayed(self.settles_at, us)
        self.collects_until = _delayed(self.collects_until, us)
        self.deadline = _delayed(self.deadline, us)
        self.earliest = _delayed(self.earliest, us)
        self.lands = _delayed(self.lands, us)

    def views(self) -> list[tuple[Seat, PromptView]]:
        """The prompts as their receivers see them; equal prompts are one value."""
        made: list[tuple[Seat, PromptView]] = []
        last: PromptView | None = None
        for question in self.group.questions:
            seat, options = question.seat, question.options
            deadline = self.deadline_of(seat) if self.extra else self.deadline
            if last is None or last.deadline != deadline or (last.options is not options and last.options != options):
                last = PromptView(self.id, self.group.kind, options, deadline, self.earliest, self.lands)
            made.append((seat, last))
        return made


def _delayed(at: Instant | None, us: int) -> Instant | None:
    return None if at is None else Instant(at + us)


@value_class()
class ClosedPrompt:
    """A prompt that is over."""

    id: PromptId
    is_answered: bool
    closed_at: Instant
    ran_out: bool
    """Its time was over when it closed; otherwise something else closed it, and an answer on its way is no fault."""
    asked: StrikePrompt | None = None
    """Of one that ran out."""


class PromptLog:
    """Numbers a match's prompts from 1 and remembers each entrant's last ones, over all its games."""

    def __init__(self, entrant_count: int) -> None:
        self.last_id = PromptId(0)
        self._recent = tuple[list[ClosedPrompt], ...]([] for _ in range(entrant_count))  # a deque begins with 600 bytes

    def next_id(self) -> PromptId:
        """The number of a new prompt."""
        self.last_id = PromptId(self.last_id + 1)
        return self.last_id

    def add_closed(self, entrant: EntrantIndex, closed: ClosedPrompt) -> None:
        """Remember that a prompt of this entrant is over."""
        recent = self._recent[entrant]
        recent.append(closed)
        if len(recent) > RECENT_PROMPTS:
            del recent[0]

    def find_closed(self, prompt_id: PromptId, entrant: EntrantIndex) -> ClosedPrompt | None:
        """The closed prompt, if it is one of the entrant's last eight."""
        return next((closed for closed in self._recent[entrant] if closed.id == prompt_id), None)

    def why_closed(self, at: Instant, prompt_id: PromptId, entrant: EntrantIndex) -> tuple[str, int]:
        """Why an answer to a prompt that is not open is refused, and by how many microseconds it is late."""
        closed = self.find_closed(prompt_id, entrant)
        if closed is None:
            return Refusal.UNKNOWN_PROMPT, 0
        if closed.is_answered:
            return Refusal.ALREADY_ANSWERED, 0
        return Refusal.LATE, max(0, at - closed.closed_at)
