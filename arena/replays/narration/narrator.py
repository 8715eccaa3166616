"""The common part of both narrations of a match: the way through the records, and the lines about the match itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, StrikeIssued
from arena.match.referee.inputs import Input
from arena.match.referee.orders import AnnounceFact, Ask, DecisionResult, Order, PromptView, TellEvent, TellStrike
from arena.match.referee.replay import Moment, Replay
from arena.replays.narration.line_builder import LineBuilder
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.strike_text import describe_lost_patience, find_refusal, strike_data, strike_text
from arena.replays.narration.text_format import format_duration
from arena.server.wire.narration_line import NarrationLine


@dataclass(slots=True)
class AskedPrompt:
    """A question, as it was asked last."""

    view: PromptView
    at: int
    """When it was asked first, in microseconds."""

    def count_us(self, answered_at: int) -> int:
        """Return how long an answer took. Its stamp may precede the question that it foresaw."""
        return max(0, answered_at - self.at)


def count_remaining_us(prompt: PromptView, now: int) -> int | None:
    """Return the microseconds from an instant to the deadline of a question; None without a deadline."""
    return None if prompt.deadline is None else prompt.deadline - now


class Narrator(ABC):
    """Narrates a match up to the end of its records. A subclass decides who reads it, and so what it tells."""

    _prompts: Mapping[int, AskedPrompt]
    """By prompt id."""

    def __init__(self, replay: Replay, phrasing: Phrasing, names: Sequence[str]) -> None:
        """`names` are shown, by entrant."""
        self._replay = replay
        self._game = replay.terms.game
        self._phrasing = phrasing
        self._builder = LineBuilder(self._game, names)
        self._last_at = 0
        """The newest instant that the reader knows of."""

    def lines(self) -> Iterator[NarrationLine]:
        for moment in self._replay.moments():
            for line in self._moment_lines(moment):
                self._last_at = moment.entry.now
                yield line
        if self._replay.referee.ended is None:
            yield from self._unfinished_lines()
            yield self._builder.interrupt_match(self._replay.referee, self._last_at)

    def _moment_lines(self, moment: Moment) -> Iterator[NarrationLine]:
        yield from self._input_lines(moment.entry)
        for order in moment.orders:
            yield from self._order_lines(moment, order)

    def _order_lines(self, moment: Moment, order: Order) -> Iterator[NarrationLine]:
        entry = moment.entry
        match order:
            case TellEvent(event):
                yield from self._event_lines(event, entry.at)
                self._builder.count_turns(event)
            case AnnounceFact(fact):
                yield from self._fact_lines(fact, entry)
            case Ask(entrant, prompt) if self._is_told_about(entrant):
                yield from self._prompt_lines(entrant, prompt, entry.now)
            case DecisionResult(entrant) if self._is_told_about(entrant):
                yield from self._decision_lines(moment, order)
            case TellStrike(strike) if self._is_told_about(strike.entrant):
                refused = find_refusal(moment.orders, strike.entrant)
                text, data = self._describe_strike(moment, strike, refused), strike_data(strike, refused)
                yield self._builder.line("fault", text, entry.at, data=data)
            case _:
                return

    def _fact_lines(self, fact: Any, entry: Input) -> Iterator[NarrationLine]:
        builder = self._builder
        match fact:
            case GameStarted():
                yield builder.begin_game(fact, entry.at)
            case GameEnded():
                yield builder.end_game(fact, entry.at)
            case IntermissionStarted():
                yield builder.line("match", f"a break of at most {format_duration(fact.until - entry.now)}", entry.at)
            case MatchEnded():
                yield builder.end_match(fact.termination, fact.place_sums, entry.at)
            case _:
                return

    def _strike_text(self, strike: StrikeIssued, refused: DecisionResult | None, words: str) -> str:
        """Return the reason for a strike, for the refused answer that `words` describe."""
        prompt = self._prompts.get(strike.prompt_id)
        allowed_us = None if prompt is None else count_remaining_us(prompt.view, prompt.at)
        text = strike_text(strike, self._phrasing, refused, words, allowed_us)
        return text + describe_lost_patience(self._replay.referee.entrant_records[strike.entrant], strike)

    def _is_told_about(self, entrant: int) -> bool:  # noqa: ARG002  the organizer may know all
        """Return whether the reader may know an entrant's questions, answers and strikes."""
        return True

    @abstractmethod
    def _input_lines(self, entry: Input) -> Iterator[NarrationLine]:
        """Yield a line for an input that no order reports."""

    @abstractmethod
    def _event_lines(self, event: Any, at: int) -> Iterator[NarrationLine]: ...

    @abstractmethod
    def _prompt_lines(self, entrant: int, prompt: PromptView, now: int) -> Iterator[NarrationLine]: ...

    @abstractmethod
    def _decision_lines(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]: ...

    @abstractmethod
    def _describe_strike(self, moment: Moment, strike: StrikeIssued, refused: DecisionResult | None) -> str:
        """Return the sentence for a strike. `refused` is the refused answer of the same input, if there is one."""

    def _unfinished_lines(self) -> Iterator[NarrationLine]:
        """Yield what is still open when the records end before the match does."""
        yield from ()
