"""A referee's record of one entrant over a whole match: strikes, think times, connection and latest decisions."""

from array import array
from collections import Counter
from typing import Any

from arena.match.referee.entrant_clock import EntrantClock
from arena.match.referee.facts import StrikeKind
from arena.match.referee.orders import DecisionResult, DecisionStatus, Refusal
from arena.match.referee.scalars import EntrantIndex, PromptId

REMEMBERED_PROMPTS = 10
"""The number of prompts whose decisions are kept to answer repeated action ids: open ones and the last eight closed."""
MAX_REMEMBERED_DECISIONS = 64
"""The most decisions that are remembered. The limit bounds the memory for a bot that is refused very often."""
FORGET_BATCH = 12
"""Old decisions are dropped each time this many have been added. The larger the batch, the rarer the work."""
_ID_BITS = 32
"""Width of an action id."""
MAX_MISSED_WINDOWS = 3
"""A seat that has missed this number of windows in a row is still asked, but no window waits for it (spec A12.4)."""


class EntrantRecord:
    __slots__ = (
        "_actions",
        "_forgets_at",
        "_highest",
        "_numbers",
        "_others",
        "auto_in_row",
        "clock",
        "decision_count",
        "entrant",
        "gone",
        "late_count",
        "late_us",
        "missed_in_row",
        "slowest_share",
        "strikes",
        "think_octaves",
        "think_us",
    )

    def __init__(self, entrant: EntrantIndex, reconnect_allowance_us: int) -> None:
        self.entrant = entrant
        self.strikes: Counter[StrikeKind] = Counter()
        self.auto_in_row = 0
        self.missed_in_row = 0
        self.gone = False
        self.clock = EntrantClock(reconnect_allowance_us)
        self.think_us = 0
        self.slowest_share = 0.0
        """The largest share of its allowed time that a decision took, 0 to 1."""
        self.think_octaves: dict[int, int] = {}
        """The number of decisions by duration: key n counts those from 2**(n-1) to less than 2**n microseconds."""
        self.decision_count = 0
        self.late_count = 0
        """The number of answers that came after their deadline. They are no decisions, but they took time too."""
        self.late_us = 0
        """The time that these answers took, in microseconds."""
        self._numbers = array("Q")
        """The latest decisions. For each, prompt id and action id are packed into one number, which saves memory."""
        self._actions: list[Any] = []
        """The actions of these decisions."""
        self._highest = -1
        """The largest number in `_numbers` so far.

        A larger number belongs to a new decision, so most decisions need no search.
        """
        self._others: dict[int, DecisionResult] = {}
        """The results of decisions that were not simply accepted, by number."""
        self._forgets_at = REMEMBERED_PROMPTS + FORGET_BATCH

    def note_answer(self, thought_us: int, share: float, is_move: bool) -> None:
        """Count a decision that took `thought_us` microseconds.

        `share` is the part of the allowed time that the decision took, 0 to 1.
        """
        self.missed_in_row = 0
        if is_move:
            self.auto_in_row = 0
        self.decision_count += 1
        thought_us = max(thought_us, 0)
        self.think_us += thought_us
        if share > self.slowest_share:  # noqa: PLR1730  as below
            self.slowest_share = share
        octave = thought_us.bit_length()
        self.think_octaves[octave] = self.think_octaves.get(octave, 0) + 1

    def note_late_answer(self, thought_us: int) -> None:
        """Count an answer that came too late, `thought_us` microseconds after its prompt."""
        self.late_count += 1
        self.late_us += max(thought_us, 0)

    def remember(self, answer: DecisionResult, action: Any) -> None:
        """Remember the result of a decision, and forget the results of old prompts."""
        number = answer.prompt_id << _ID_BITS | answer.action_id
        numbers = self._numbers
        numbers.append(number)
        self._actions.append(action)
        if number > self._highest:  # noqa: PLR1730  runs for every decision, a call costs more
            self._highest = number
        if answer.status is not DecisionStatus.ACCEPTED:
            self._others[number] = answer
        if len(numbers) >= self._forgets_at:
            self._forget_old()

    def find_previous_answer(self, prompt_id: PromptId, action_id: int, action: Any) -> DecisionResult | None:
        """Return the result of a repeated decision; None for a new one.

        A decision with a known action id and another action is refused.
        """
        number = prompt_id << _ID_BITS | action_id
        if number > self._highest or number not in self._numbers:
            return None
        if self._actions[self._numbers.index(number)] == action:
            return self._answer(number)
        return DecisionResult(self.entrant, prompt_id, action_id, DecisionStatus.REFUSED, Refusal.ACTION_ID_CONFLICT)

    def latest_answers(self, count: int) -> list[DecisionResult]:
        """Return the results of the last decisions, at most `count`, oldest first."""
        return [self._answer(number) for number in self._numbers[-count:]]

    def _answer(self, number: int) -> DecisionResult:
        prompt_id, action_id = divmod(number, 1 << _ID_BITS)
        return self._others.get(number) or DecisionResult(
            self.entrant, PromptId(prompt_id), action_id, DecisionStatus.ACCEPTED
        )

    def _forget_old(self) -> None:
        prompts: set[int] = set()
        kept = 0
        for number in reversed(self._numbers):
            prompts.add(number >> _ID_BITS)
            if len(prompts) > REMEMBERED_PROMPTS or kept == MAX_REMEMBERED_DECISIONS:
                break
            kept += 1
        for number in self._numbers[:-kept]:
            self._others.pop(number, None)
        del self._numbers[:-kept], self._actions[:-kept]
        self._forgets_at = kept + FORGET_BATCH
