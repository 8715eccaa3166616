"""What the bot says: whether it is legal, what it is told, and which of it counts."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.match.facts import StrikeIssued, StrikeKind
from arena.match.orders import DecisionResult, DecisionStatus, Order, PromptView, Refusal, TellStrike
from arena.match.referee import Referee
from arena.match.scalars import EntrantIndex, PromptId


class UncountedAnswer(NamedTuple):
    """An answer that does not count."""

    action: Any
    """None: it cannot be read."""
    reason: str


@dataclass(slots=True)
class BotResponse:
    """What the bot has said to a question."""

    action: Any = None
    """Its first legal answer; None: none yet."""
    refused: list[UncountedAnswer] = field(default_factory=list)
    is_given_up: bool = False
    """Nobody waits for its answer any more."""

    @property
    def is_settled(self) -> bool:
        """Whether nobody waits."""
        return self.is_given_up or self.action is not None


class AnswerJudge:
    """Judges the bot's answers by the state that the records have led to. Changes nothing of it."""

    def __init__(self, referee: Referee, entrant: EntrantIndex) -> None:
        self.given: dict[PromptId, BotResponse] = {}
        """By id of each question that the bot was shown."""
        self.answers: dict[tuple[PromptId, int], tuple[Any, DecisionResult]] = {}
        """By question and action id: what came, and what the bot was told of it."""
        self._unanswered: set[PromptId] = set()
        """Shown to the bot, without an answer that counts, and not known to be closed."""
        self._referee = referee
        self._entrant = entrant

    # ---- what the bot was asked

    def note_prompt(self, prompt_id: PromptId) -> bool:
        """Note that the bot is asked, maybe again; tells whether it has no answer given that counts."""
        given = self.given.setdefault(prompt_id, BotResponse())
        if given.action is None:
            self._unanswered.add(prompt_id)
        return given.action is None

    @property
    def open_prompts(self) -> dict[PromptId, PromptView]:
        """The questions that are open, by id."""
        return {view.id: view for view, _ in self._referee.prompts_of(self._entrant)}

    @property
    def pending_responses(self) -> dict[PromptId, BotResponse]:
        """The open questions that the bot has to answer."""
        return {
            i: given for i in self.open_prompts if (given := self.given.get(i)) is not None and not given.is_settled
        }

    def take_closed_prompts(self) -> list[PromptId]:
        """Give the questions that were closed since the last call without an answer of the bot that counts."""
        gone = self._unanswered - self.open_prompts.keys()
        self._unanswered -= gone
        return sorted(gone)

    # ---- what it says

    def answer(self, prompt_id: PromptId, action_id: int, action: Any) -> list[Order]:
        """Take a decision; gives what the bot is told of it."""
        known = self.answers.get((prompt_id, action_id))
        if known is not None:
            is_same = known[0] == action
            return [known[1] if is_same else self._build_answer(prompt_id, action_id, Refusal.ACTION_ID_CONFLICT)]
        reason, is_illegal = self._why_refused(prompt_id, action)
        if is_illegal:
            return self._refuse(prompt_id, action_id, action, reason)
        if not reason:
            self.given[prompt_id].action = action
            self._unanswered.discard(prompt_id)
        told = self._build_answer(prompt_id, action_id, reason)
        self.answers[prompt_id, action_id] = (action, told)
        return [told]

    def reject(self, prompt_id: PromptId, action_id: int, reason: str) -> list[Order]:
        """Take a decision that cannot be read."""
        return self._refuse(prompt_id, action_id, None, reason)

    def _why_refused(self, prompt_id: PromptId, action: Any) -> tuple[str, bool]:
        """Why an answer does not count, empty where it does; and whether that is against a rule."""
        given, view, playing = self.given.get(prompt_id), self.open_prompts.get(prompt_id), self._referee.current_game
        if given is None:
            return Refusal.UNKNOWN_PROMPT, False
        if given.action is not None:
            return Refusal.ALREADY_ANSWERED, False
        seat = self._referee.seat_of(self._entrant)
        if view is None or playing is None or seat is None:
            return Refusal.LATE, False
        code = playing.game.why_illegal(playing.state, seat, action, view.kind)
        return code or "", code is not None

    def _refuse(self, prompt_id: PromptId, action_id: int, action: Any, reason: str) -> list[Order]:
        if prompt_id in self.given:
            self.given[prompt_id].refused.append(UncountedAnswer(action, reason))
        told = self._build_answer(prompt_id, action_id, reason)
        self.answers[prompt_id, action_id] = (action, told)
        return [told, TellStrike(StrikeIssued(self._entrant, StrikeKind.ILLEGAL, prompt_id, reason))]

    def _build_answer(self, prompt_id: PromptId, action_id: int, reason: str) -> DecisionResult:
        status = DecisionStatus.REFUSED if reason else DecisionStatus.ACCEPTED
        return DecisionResult(self._entrant, prompt_id, action_id, status, reason)
