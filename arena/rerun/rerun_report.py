"""Compares recorded answers with the bot's answers now, in words and as plain values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.games.catalogue import phrasing_of
from arena.match.orders import DecisionResult, DecisionStatus
from arena.match.scalars import EntrantIndex, PromptId
from arena.replays.phrasing import Phrasing
from arena.replays.strike_text import why_refused
from arena.replays.text_format import format_count
from arena.rerun.answer_judge import BotResponse, UncountedAnswer
from arena.rerun.recorded_prompts import PromptOutcome, RecordedPrompt
from arena.rules.game import Game

NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class PromptComparison:
    """A question with its recorded answer and the bot's answer now."""

    asked: RecordedPrompt
    given: BotResponse
    game: Game

    @property
    def is_different(self) -> bool:
        """Whether the answer now differs from the recorded one; for an optional question, silence declines."""
        recorded, now = self.asked.answer, self.given.action
        if not self.asked.is_comparable or recorded == now:
            return False
        said = [action for action in (recorded, now) if action is not None]
        return not self.asked.is_optional or any(map(self.game.is_settling, said))

    @property
    def question_text(self) -> str:
        """The question and its position in the match, in words."""
        asked = self.asked
        offered = self._phrasing.describe_options(asked.kind, asked.options)
        return f"game {asked.game}, turn {asked.turn}: seat {asked.seat} is asked ({asked.kind}): {offered}"

    def answer_rows(self) -> Iterator[tuple[str, str]]:
        """Yield labels and texts of the recorded answer, the refused answers and the answer now."""
        yield "recorded", self.recorded_text
        for refused in self.given.refused:
            yield "illegal", self._describe_refusal(refused)
        yield "now", self.current_text

    @property
    def recorded_text(self) -> str:
        """The recorded answer in words."""
        asked = self.asked
        if asked.answer is not None:
            return self._phrasing.describe_action(asked.answer)
        if asked.automatic is not None:
            return f"{NO_ANSWER}; the automatic move was made: it {self._phrasing.describe_action(asked.automatic)}"
        closed = {
            PromptOutcome.OVERTAKEN: ", something else came before it",
            PromptOutcome.LEFT_OPEN: ", the records end here",
        }
        return NO_ANSWER + closed.get(asked.fate, "")

    @property
    def current_text(self) -> str:
        """The bot's answer now in words."""
        return NO_ANSWER if self.given.action is None else self._phrasing.describe_action(self.given.action)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        asked = self.asked
        place = {"game": asked.game, "turn": asked.turn, "seat": asked.seat, "prompt_id": asked.prompt_id}
        return place | {
            "prompt": asked.kind,
            "differs": self.is_different,
            "fate": asked.fate.value,
            "recorded": self._action_text(asked.answer),
            "automatic": self._action_text(asked.automatic),
            "now": self._action_text(self.given.action),
            "illegal": [{"action": self._action_text(r.action), "reason": r.reason} for r in self.given.refused],
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
    """The comparison of all questions of a rerun."""

    def __init__(self, asked: Sequence[RecordedPrompt], given: Mapping[PromptId, BotResponse], game: Game) -> None:
        self.compared = [
            PromptComparison(each, given[each.prompt_id], game) for each in asked if each.prompt_id in given
        ]
        self.differing = [each for each in self.compared if each.is_different]

    @property
    def is_silent(self) -> bool:
        """Whether the bot gave no answer at all."""
        return not any(each.given.action is not None or each.given.refused for each in self.compared)

    @property
    def noteworthy(self) -> list[PromptComparison]:
        """The questions with a different answer or an illegal one."""
        return [each for each in self.compared if each.is_different or each.given.refused]

    @property
    def illegal_count(self) -> int:
        """The number of illegal answers."""
        return sum(len(each.given.refused) for each in self.compared)

    def summary(self) -> str:
        """Return the whole comparison in one line."""
        differing = len(self.differing)
        text = (
            f"{format_count(len(self.compared), 'question')}, {differing} {'differs' if differing == 1 else 'differ'}"
        )
        if self.illegal_count:
            text += f"; {format_count(self.illegal_count, 'illegal answer')}"
        open_count = sum(not each.asked.is_comparable for each in self.compared)
        return f"{text}; {open_count} not compared: nothing was recorded to compare with" if open_count else text

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "questions": len(self.compared),
            "differ": len(self.differing),
            "illegal": self.illegal_count,
            "asked": [each.as_dict() for each in self.compared],
        }
