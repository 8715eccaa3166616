"""Numbers the prompts of a match, and remembers the prompts of each entrant that closed last."""

from arena.match.referee.facts import StrikePrompt
from arena.match.referee.orders import Refusal
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.value_class import value_class

RECENT_PROMPTS = 8
"""How many closed prompts of an entrant are remembered. An answer to any is refused as LATE or ALREADY_ANSWERED."""


@value_class()
class ClosedPrompt:
    id: PromptId
    is_answered: bool
    closed_at: Instant
    ran_out: bool
    """Whether the prompt's time had run out when it closed. If not, a later answer earns no strike."""
    asked: StrikePrompt | None = None
    """The question as a strike describes it; set if the prompt ran out unanswered."""


class PromptLog:
    """Numbers a match's prompts from 1, over all games, and remembers the last closed prompts of each entrant."""

    def __init__(self, entrant_count: int) -> None:
        self.last_id = PromptId(0)
        self._recent = tuple[list[ClosedPrompt], ...]([] for _ in range(entrant_count))  # an empty deque has 600 bytes

    def next_id(self) -> PromptId:
        self.last_id = PromptId(self.last_id + 1)
        return self.last_id

    def add_closed(self, entrant: EntrantIndex, closed: ClosedPrompt) -> None:
        """Remember a closed prompt of this entrant. If there are too many, forget the oldest one."""
        recent = self._recent[entrant]
        recent.append(closed)
        if len(recent) > RECENT_PROMPTS:
            del recent[0]

    def find_closed(self, prompt_id: PromptId, entrant: EntrantIndex) -> ClosedPrompt | None:
        """Return the closed prompt if it is one of the entrant's last eight; otherwise None."""
        return next((closed for closed in self._recent[entrant] if closed.id == prompt_id), None)

    def why_closed(self, at: Instant, prompt_id: PromptId, entrant: EntrantIndex) -> tuple[str, int]:
        """Return why an answer to a prompt that is not open is refused, and by how many microseconds it is late."""
        closed = self.find_closed(prompt_id, entrant)
        if closed is None:
            return Refusal.UNKNOWN_PROMPT, 0
        if closed.is_answered:
            return Refusal.ALREADY_ANSWERED, 0
        return Refusal.LATE, max(0, at - closed.closed_at)
