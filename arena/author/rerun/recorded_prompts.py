"""Finds the questions that one entrant was asked in a recorded match, with the outcome of each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from arena.games.catalogue import phrasing_of
from arena.match.game import ClosingRule, Game, Seat, TimeLimit
from arena.match.referee.facts import GameStarted, StrikeIssued, StrikeKind
from arena.match.referee.inputs import Answer
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    DrawChance,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.replays.narration.line_builder import LineBuilder
from arena.replays.narration.move_numbers import shown_turn


class PromptOutcome(Enum):
    ANSWERED = "answered"
    MISSED = "missed"
    """The time of the question ran out without an answer."""
    OVERTAKEN = "overtaken"
    """Another event closed the question before the entrant answered and before the time ran out."""
    LEFT_OPEN = "left_open"
    """The question was still open at the end of the records."""


@dataclass(slots=True)
class RecordedPrompt:
    """A question that stayed open long enough to be answered."""

    prompt_id: PromptId
    game: int
    turn: int
    """The turn to which the question belongs, as `arena replay show` shows it."""
    seat: Seat
    kind: str
    options: Any
    is_optional: bool
    """Whether giving no answer means to decline."""
    answer: Any = None
    """The first answer that was accepted or held; None if there was none."""
    outcome: PromptOutcome = PromptOutcome.LEFT_OPEN
    automatic: Any = None
    """The action that the server took instead of the entrant; None if there was none."""

    @property
    def is_comparable(self) -> bool:
        """Whether the record shows a choice of the entrant: it answered, or it let its time run out."""
        return self.outcome in (PromptOutcome.ANSWERED, PromptOutcome.MISSED)


def find_recorded_prompts(
    records: Iterable[bytes], games: Mapping[str, Game], entrant: EntrantIndex
) -> list[RecordedPrompt]:
    """Return all questions to an entrant, except questions that were asked and closed by the same input."""
    replay = Replay(records, games)
    tracker = _PromptTracker(replay, entrant)
    for moment in merge_chance_moments(replay.moments()):
        tracker.note(moment)
    return list(tracker.prompts.values())


def merge_chance_moments(moments: Iterable[Moment]) -> Iterator[Moment]:
    """Merge each moment that ends in a draw with the moments that follow from the draw, and yield the results.

    The table published an input and all draws that it caused as one message.
    """
    first: Moment | None = None
    orders: list[Order] = []
    for moment in moments:
        first = first or moment
        orders += moment.orders
        if not (orders and isinstance(orders[-1], DrawChance)):
            yield Moment(first.entry, tuple(orders))
            first, orders = None, []
    if first is not None:
        yield Moment(first.entry, tuple(orders))


class _PromptTracker:
    """Follows one entrant's questions through a match."""

    def __init__(self, replay: Replay, entrant: EntrantIndex) -> None:
        self.prompts: dict[PromptId, RecordedPrompt] = {}
        self._referee = replay.referee
        self._entrant = entrant
        self._phrasing = phrasing_of(replay.terms.game)
        self._course = LineBuilder(replay.terms.game, replay.terms.entrants)
        self._deadlines: dict[PromptId, Instant | None] = {}
        """Deadlines of the questions that were open after the previous moment."""

    def note(self, moment: Moment) -> None:
        """Update the questions from one moment of the match."""
        for order in moment.orders:
            match order:
                case AnnounceFact(GameStarted() as fact):
                    self._course.begin_game(fact, moment.entry.at)
                case TellEvent(event):
                    self._course.count_turns(event)
                case Ask(entrant, view) if entrant == self._entrant:
                    self._add_prompt(view)
                case DecisionResult(entrant) | Withdraw(entrant) if entrant == self._entrant:
                    self._close_prompt(moment, order)
                case TellStrike(struck) if struck.entrant == self._entrant and _stands_for_answer(struck):
                    self._mark_missed(struck.prompt_id, struck.automatic)
                case _:
                    pass
        self._deadlines = {view.id: view.deadline for view, _ in self._referee.prompts_of(self._entrant)}

    def _add_prompt(self, view: PromptView) -> None:
        """Add a new question, unless it is closed already. The same input may ask and close a question."""
        group = None if self._referee.current_game is None else self._referee.current_game.prompts.groups.get(view.kind)
        if view.id in self.prompts or group is None or group.id != view.id:
            return
        is_optional = group.group.closing is not ClosingRule.ALL and group.group.length is not TimeLimit.TURN
        course, seat = self._course, self._course.seat_of(self._entrant)
        turn = shown_turn(view.kind, course.turn, self._phrasing)
        self.prompts[view.id] = RecordedPrompt(
            view.id, course.game or 0, turn, seat, view.kind, view.options, is_optional
        )

    def _close_prompt(self, moment: Moment, order: DecisionResult | Withdraw) -> None:
        prompt = self.prompts.get(order.prompt_id)
        if prompt is None or prompt.outcome is not PromptOutcome.LEFT_OPEN:
            return
        if isinstance(order, DecisionResult):
            if isinstance(moment.entry, Answer) and order.status in (DecisionStatus.ACCEPTED, DecisionStatus.HELD):
                prompt.answer, prompt.outcome = moment.entry.action, PromptOutcome.ANSWERED
            return
        deadline = self._deadlines.get(order.prompt_id)
        has_run_out = deadline is not None and moment.entry.at >= deadline
        prompt.outcome = PromptOutcome.MISSED if has_run_out else PromptOutcome.OVERTAKEN

    def _mark_missed(self, prompt_id: PromptId, automatic: Any) -> None:
        prompt = self.prompts.get(prompt_id)
        if prompt is not None and prompt.outcome is PromptOutcome.LEFT_OPEN:
            prompt.outcome, prompt.automatic = PromptOutcome.MISSED, automatic


def _stands_for_answer(struck: StrikeIssued) -> bool:
    """Return whether a strike is for a question that the bot did not answer."""
    return struck.kind is StrikeKind.MISSING or struck.no_answer is not None
