"""Judges the bot's answers in a rerun: whether they are legal and count, and how to acknowledge them."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from arena.match.referee.facts import NoAnswerGiven, StrikeIssued, StrikeKind
from arena.match.referee.orders import DecisionResult, DecisionStatus, Order, PromptView, Refusal, TellStrike
from arena.match.referee.referee import Referee
from arena.match.referee.scalars import EntrantIndex, PromptId


class UncountedAnswer(NamedTuple):
    """An answer that does not count."""

    action: Any
    """The action; None if it could not be read or if the bot said that it has none."""
    reason: str


@dataclass(slots=True)
class BotResponse:
    """The bot's answers to one question."""

    action: Any = None
    """The first legal answer; None if there is none yet."""
    refused: list[UncountedAnswer] = field(default_factory=list)
    is_given_up: bool = False
    """Whether the rerun has stopped waiting for an answer."""

    @property
    def is_settled(self) -> bool:
        """Whether the rerun need not wait any more: the question is answered or given up."""
        return self.is_given_up or self.action is not None


class AnswerJudge:
    """Judges the bot's answers by the state of the recorded match, without changing that state."""

    def __init__(self, referee: Referee, entrant: EntrantIndex) -> None:
        self.responses: dict[PromptId, BotResponse] = {}
        """The bot's responses, by the id of the question."""
        self.answers: dict[tuple[PromptId, int], tuple[Any, DecisionResult]] = {}
        """The action received and the result sent, by prompt id and action id."""
        self._unanswered: set[PromptId] = set()
        """Ids of questions without an answer that counts; `take_closed_prompts` removes those that have closed."""
        self._referee = referee
        self._entrant = entrant

    # ---- what the bot was asked

    def note_prompt(self, prompt_id: PromptId) -> bool:
        """Record that the bot is asked a question, perhaps again.

        Return whether the question still needs an answer that counts.
        """
        response = self.responses.setdefault(prompt_id, BotResponse())
        if response.action is None:
            self._unanswered.add(prompt_id)
        return response.action is None

    @property
    def open_prompts(self) -> dict[PromptId, PromptView]:
        """The questions that are open, by id."""
        return {view.id: view for view, _ in self._referee.prompts_of(self._entrant)}

    @property
    def pending_responses(self) -> dict[PromptId, BotResponse]:
        """The open questions that the bot still has to answer, by id."""
        return {
            prompt_id: self.responses[prompt_id]
            for prompt_id in self.open_prompts
            if prompt_id in self.responses and not self.responses[prompt_id].is_settled
        }

    def take_closed_prompts(self) -> list[PromptId]:
        """Return the questions that closed after the last call and have no answer that counts."""
        closed = self._unanswered - self.open_prompts.keys()
        self._unanswered -= closed
        return sorted(closed)

    # ---- what the bot answers

    def answer(self, prompt_id: PromptId, action_id: int, action: Any) -> list[Order]:
        """Judge a decision and return the orders that acknowledge it."""
        known = self.answers.get((prompt_id, action_id))
        if known is not None:
            is_same = known[0] == action
            return [known[1] if is_same else self._build_answer(prompt_id, action_id, Refusal.ACTION_ID_CONFLICT)]
        reason, is_illegal = self._why_refused(prompt_id, action)
        if is_illegal:
            return self._refuse(prompt_id, action_id, action, reason)
        if not reason:
            self.responses[prompt_id].action = action
            self._unanswered.discard(prompt_id)
        result = self._build_answer(prompt_id, action_id, reason)
        self.answers[prompt_id, action_id] = (action, result)
        return [result]

    def go_without_answer(self, prompt_id: PromptId, action_id: int, given: NoAnswerGiven) -> list[Order]:
        """Record that the bot has no answer, and return its result and a strike."""
        known = self.answers.get((prompt_id, action_id))
        if known is not None:
            return [known[1]]
        if prompt_id not in self.open_prompts or prompt_id not in self.responses:
            return [self._build_answer(prompt_id, action_id, Refusal.UNKNOWN_PROMPT)]
        response = self.responses[prompt_id]
        response.is_given_up = True
        response.refused.append(UncountedAnswer(None, given.reason or given.strike_kind.value))
        result = self._build_answer(prompt_id, action_id, "")
        self.answers[prompt_id, action_id] = (given, result)
        struck = StrikeIssued(self._entrant, given.strike_kind, prompt_id, given.reason, no_answer=given)
        return [result, TellStrike(struck)]

    def reject(self, prompt_id: PromptId, action_id: int, reason: str) -> list[Order]:
        """Refuse a decision that could not be read, and return the orders that say so."""
        return self._refuse(prompt_id, action_id, None, reason)

    def _why_refused(self, prompt_id: PromptId, action: Any) -> tuple[str, bool]:
        """Return why an answer does not count (empty if it does), and whether it breaks a rule of the game."""
        response, view = self.responses.get(prompt_id), self.open_prompts.get(prompt_id)
        playing = self._referee.current_game
        if response is None:
            return Refusal.UNKNOWN_PROMPT, False
        if response.action is not None:
            return Refusal.ALREADY_ANSWERED, False
        seat = self._referee.seat_of(self._entrant)
        if view is None or playing is None or seat is None:
            return Refusal.LATE, False
        code = playing.game.why_illegal(playing.state, seat, action, view.kind)
        return code or "", code is not None

    def _refuse(self, prompt_id: PromptId, action_id: int, action: Any, reason: str) -> list[Order]:
        """Record an illegal answer, and return its result and a strike."""
        if prompt_id in self.responses:
            self.responses[prompt_id].refused.append(UncountedAnswer(action, reason))
        result = self._build_answer(prompt_id, action_id, reason)
        self.answers[prompt_id, action_id] = (action, result)
        return [result, TellStrike(StrikeIssued(self._entrant, StrikeKind.ILLEGAL, prompt_id, reason))]

    def _build_answer(self, prompt_id: PromptId, action_id: int, reason: str) -> DecisionResult:
        status = DecisionStatus.REFUSED if reason else DecisionStatus.ACCEPTED
        return DecisionResult(self._entrant, prompt_id, action_id, status, reason)
