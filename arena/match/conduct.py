"""What a referee remembers of one entrant over a whole match: strikes, connection, its latest decisions."""

from collections import Counter
from typing import Any

from arena.match.facts import FaultKind
from arena.match.orders import Answer

REMEMBERED_PROMPTS = 10
"""The decisions of so many prompts are kept to answer a repeated action id: of the open and the last eight ones."""
REMEMBERED_DECISIONS = 64
"""But no more than so many, however often a bot is refused."""
FORGOTTEN_AT_ONCE = 12
"""So that looking for what may be forgotten is seldom."""
PATIENCE_WINDOWS = 3
"""After so many windows missed in a row a seat is asked but not waited for (spec A12.4)."""


class Conduct:
    """One entrant's record."""

    __slots__ = (
        "_forgets_at",
        "answers",
        "auto_in_row",
        "decision_count",
        "entrant",
        "gone",
        "lost_from",
        "missed_in_row",
        "purse",
        "strikes",
        "think_octaves",
        "think_us",
    )

    def __init__(self, entrant: int, purse: int) -> None:
        self.entrant = entrant
        self.strikes: Counter[FaultKind] = Counter()
        self.auto_in_row = 0
        self.missed_in_row = 0
        self.gone = False
        self.lost_from: int | None = None
        """Since when its connection is lost, as far as the purse has not been charged for it yet; None: connected."""
        self.purse = purse
        """What is left of the reconnect purse, microseconds."""
        self.think_us = 0
        self.think_octaves: Counter[int] = Counter()
        """Decisions by how long they took: key n counts those below 2**n microseconds that no smaller key counts."""
        self.decision_count = 0
        self.answers: dict[int, tuple[int, Any, Answer]] = {}
        """By action id: prompt, action and the answer that it got."""
        self._forgets_at = REMEMBERED_PROMPTS + FORGOTTEN_AT_ONCE

    def note_answer(self, thought_us: int, is_move: bool) -> None:
        """A decision was taken, so long after it was asked for."""
        self.missed_in_row = 0
        if is_move:
            self.auto_in_row = 0
        self.decision_count += 1
        thought_us = max(thought_us, 0)
        self.think_us += thought_us
        self.think_octaves[thought_us.bit_length()] += 1

    def remember(self, answer: Answer, action: Any) -> None:
        """Keep a decision's answer; those of old prompts are forgotten."""
        self.answers[answer.action_id] = (answer.prompt_id, action, answer)
        if len(self.answers) >= self._forgets_at:
            self._forget()

    def _forget(self) -> None:
        prompts: set[int] = set()
        kept: list[int] = []
        for action_id, (prompt_id, _, _) in reversed(self.answers.items()):
            prompts.add(prompt_id)
            if len(prompts) > REMEMBERED_PROMPTS or len(kept) == REMEMBERED_DECISIONS:
                break
            kept.append(action_id)
        self.answers = {action_id: self.answers[action_id] for action_id in reversed(kept)}
        self._forgets_at = len(kept) + FORGOTTEN_AT_ONCE

    def charge(self, started: int, at: int) -> int:
        """Take the time since the loss (or since `started`, if later) out of the purse and give what was taken."""
        if self.lost_from is None:
            return 0
        taken = max(0, min(self.purse, at - max(self.lost_from, started)))
        self.purse -= taken
        self.lost_from = at
        return taken
