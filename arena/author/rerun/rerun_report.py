"""Compares the bot's answers with the recorded ones, in words and as plain values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.author.rerun.answer_judge import BotResponse, UncountedAnswer
from arena.author.rerun.recorded_prompts import PromptOutcome, RecordedPrompt
from arena.games.catalogue import phrasing_of
from arena.match.game import Game
from arena.match.referee.orders import DecisionResult, DecisionStatus
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.plurals import format_count
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.strike_text import why_refused

NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class PromptComparison:
    """A question, with its recorded answer and the bot's answer in the rerun."""

    prompt: RecordedPrompt
    response: BotResponse
    game: Game

    @property
    def is_different(self) -> bool:
        """Whether the two answers differ. For an optional question, giving no answer means to decline."""
        recorded, now = self.prompt.answer, self.response.action
        if not self.prompt.is_comparable or recorded == now:
            return False
        answers = [action for action in (recorded, now) if action is not None]
        return not self.prompt.is_optional or any(map(self.game.is_settling, answers))

    @property
    def question_text(self) -> str:
        """The question in words, with its game, turn and seat."""
        prompt = self.prompt
        offered = self._phrasing.describe_options(prompt.kind, prompt.options)
        return f"game {prompt.game}, turn {prompt.turn}: seat {prompt.seat} is asked ({prompt.kind}): {offered}"

    def answer_rows(self) -> Iterator[tuple[str, str]]:
        """Yield label and text of each answer: the recorded one, the refused ones and the one that counts now."""
        yield "recorded", self.recorded_text
        for refused in self.response.refused:
            yield "illegal", self._describe_refusal(refused)
        yield "now", self.current_text

    @property
    def recorded_text(self) -> str:
        """The recorded answer in words."""
        prompt = self.prompt
        if prompt.answer is not None:
            return self._phrasing.describe_action(prompt.answer)
        if prompt.automatic is not None:
            return f"{NO_ANSWER}; the automatic move was made: it {self._phrasing.describe_action(prompt.automatic)}"
        closed = {
            PromptOutcome.OVERTAKEN: ", another event closed the question",
            PromptOutcome.LEFT_OPEN: ", the records end here",
        }
        return NO_ANSWER + closed.get(prompt.outcome, "")

    @property
    def current_text(self) -> str:
        """The bot's answer that counts now, in words."""
        return NO_ANSWER if self.response.action is None else self._phrasing.describe_action(self.response.action)

    def as_dict(self) -> dict[str, Any]:
        prompt = self.prompt
        place = {"game": prompt.game, "turn": prompt.turn, "seat": prompt.seat, "prompt_id": prompt.prompt_id}
        return place | {
            "prompt": prompt.kind,
            "differs": self.is_different,
            "fate": prompt.outcome.value,
            "recorded": self._action_text(prompt.answer),
            "automatic": self._action_text(prompt.automatic),
            "now": self._action_text(self.response.action),
            "illegal": [{"action": self._action_text(r.action), "reason": r.reason} for r in self.response.refused],
            "words": {"recorded": self.recorded_text, "now": self.current_text},
        }

    def _action_text(self, action: Any) -> str | None:
        return None if action is None else self.game.write_action(action)

    def _describe_refusal(self, refused: UncountedAnswer) -> str:
        words = (
            "sends what cannot be read" if refused.action is None else self._phrasing.describe_action(refused.action)
        )
        result = DecisionResult(EntrantIndex(0), PromptId(0), 0, DecisionStatus.REFUSED, refused.reason)
        return f"{words}: {why_refused(result, self._phrasing)}"

    @property
    def _phrasing(self) -> Phrasing:
        return phrasing_of(self.game)


class RerunReport:
    def __init__(
        self, prompts: Sequence[RecordedPrompt], responses: Mapping[PromptId, BotResponse], game: Game
    ) -> None:
        self.compared = [
            PromptComparison(each, responses[each.prompt_id], game) for each in prompts if each.prompt_id in responses
        ]
        self.differing = [each for each in self.compared if each.is_different]

    @property
    def is_silent(self) -> bool:
        """Whether the bot gave no answer at all."""
        return not any(each.response.action is not None or each.response.refused for each in self.compared)

    @property
    def noteworthy(self) -> list[PromptComparison]:
        """The questions with a different or an illegal answer."""
        return [each for each in self.compared if each.is_different or each.response.refused]

    @property
    def illegal_count(self) -> int:
        return sum(len(each.response.refused) for each in self.compared)

    def summary(self) -> str:
        """Return the comparison of all questions in one line."""
        differing = len(self.differing)
        text = (
            f"{format_count(len(self.compared), 'question')}, {differing} {'differs' if differing == 1 else 'differ'}"
        )
        if self.illegal_count:
            text += f"; {format_count(self.illegal_count, 'illegal answer')}"
        open_count = sum(not each.prompt.is_comparable for each in self.compared)
        return f"{text}; {open_count} not compared, because the record shows no choice" if open_count else text

    def as_dict(self) -> dict[str, Any]:
        return {
            "questions": len(self.compared),
            "differ": len(self.differing),
            "illegal": self.illegal_count,
            "asked": [each.as_dict() for each in self.compared],
        }
