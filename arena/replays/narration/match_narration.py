"""Narrates a match for its organizer: everything that happened, for all seats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.match.game import Style
from arena.match.referee.facts import GameEnded, IntermissionStarted, StrikeIssued
from arena.match.referee.inputs import Answer, Cancel, Credit, Disconnect, Input, InputKind, Leave, NoAnswer, Reconnect
from arena.match.referee.orders import DecisionResult, DecisionStatus, PromptView, TellEvent
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.strike_record import HOST_BLAME_DIVISOR
from arena.plain_data import to_plain
from arena.replays.narration.narrator import AskedPrompt, Narrator, count_remaining_us
from arena.replays.narration.phrasing import Phrasing, describe_answer
from arena.replays.narration.strike_text import has_strike, why_refused
from arena.replays.narration.text_format import escape_unprintable, format_duration, format_seats
from arena.server.wire.narration_line import NarrationLine


@dataclass(slots=True)
class _OpenPrompt(AskedPrompt):
    """A question that has not been closed, with the answers received so far. Every credit moves `at` later."""

    stalled_us: int = 0
    """By how much credits have moved it."""
    seats: list[int] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    """For each answer, in order of arrival: its seat, its text and the time that it took."""
    notes: list[tuple[int, str]] = field(default_factory=list)


def narrate_match(replay: Replay, phrasing: Phrasing) -> Iterator[NarrationLine]:
    """Yield the lines of a match in the words of its game, up to the end of the records."""
    return _MatchNarrator(replay, phrasing).lines()


class _MatchNarrator(Narrator):
    def __init__(self, replay: Replay, phrasing: Phrasing) -> None:
        super().__init__(replay, phrasing, replay.terms.entrants)
        self._is_live = replay.terms.pace.style is Style.LIVE
        self._prompts: dict[int, _OpenPrompt] = {}
        """The open questions."""
        self._decisions: dict[tuple[int, int, int], tuple[str, int]] = {}
        """The text of each decision and the time it took, by entrant, prompt and action id."""
        self._event_suffix: tuple[str, dict[str, Any]] = ("", {})
        """Text and data of the answer that causes the next event. They become part of the event's line."""
        self._notes: list[tuple[int, str]] = []

    def _moment_lines(self, moment: Moment) -> Iterator[NarrationLine]:
        self._last_at = moment.entry.now
        yield from super()._moment_lines(moment)
        yield from self._close_groups(moment.entry.at)
        yield from self._note_lines(moment.entry.at)

    def _unfinished_lines(self) -> Iterator[NarrationLine]:
        for prompt_id, prompt_state in self._prompts.items():
            if self._is_group(prompt_state):
                yield self._group_line(prompt_id, prompt_state, self._last_at, "no answer yet from")
                self._notes += prompt_state.notes
        yield from self._note_lines(self._last_at)

    # ---- inputs

    def _input_lines(self, entry: Input) -> Iterator[NarrationLine]:
        builder = self._builder
        match entry:
            case Disconnect() | Reconnect() | Leave():
                word = {
                    InputKind.LOST: "loses its connection",
                    InputKind.BACK: "is connected again",
                    InputKind.LEAVE: "gives up",
                }
                data = {"entrant": entry.entrant, "input": entry.kind.name.lower()}
                yield builder.line(
                    "info", f"{self._entrant_label(entry.entrant)} {word[entry.kind]}", entry.at, data=data
                )
            case Credit(us=us):
                matters = [self._delay(prompt_state, us) for prompt_state in self._prompts.values()]
                if any(matters):
                    text = f"the server stood still for {format_duration(us)}, which costs nobody any time"
                    yield builder.line("info", text, entry.at, data={"input": "credit", "us": us})
            case Cancel():
                yield builder.line("info", f"the match is ended from outside: {entry.termination}", entry.at)
            case _:
                return

    def _delay(self, prompt_state: _OpenPrompt, us: int) -> bool:
        """Delay a question by a stall. Return whether its stalls could explain how it was answered.

        Without the credit they would have taken more than the share of its time that a host may take.
        """
        allowed = count_remaining_us(prompt_state.view, prompt_state.at - prompt_state.stalled_us)
        prompt_state.at += us
        prompt_state.stalled_us += us
        return allowed is not None and HOST_BLAME_DIVISOR * prompt_state.stalled_us > allowed

    def _entrant_label(self, entrant: int) -> str:
        if self._builder.game is None:
            return self._builder.names[entrant]
        return f"seat {self._builder.seat_of(entrant)}"

    # ---- orders

    def _event_lines(self, event: Any, at: int) -> Iterator[NarrationLine]:
        yield from self._close_groups(at)
        (suffix, answer), self._event_suffix = self._event_suffix, ("", {})
        data = {"event": type(event).__name__, "value": to_plain(event), **answer}
        yield self._builder.line("event", self._game.describe_event(event) + suffix, at, data=data)

    def _fact_lines(self, fact: Any, entry: Input) -> Iterator[NarrationLine]:
        yield from self._close_groups(entry.at)
        if isinstance(fact, GameEnded):
            yield from self._note_lines(entry.at)
        for line in super()._fact_lines(fact, entry):
            yield replace(line, data={"until_us": fact.until}) if isinstance(fact, IntermissionStarted) else line

    def _describe_strike(self, moment: Moment, strike: StrikeIssued, refused: DecisionResult | None) -> str:
        text = self._strike_text(strike, refused, describe_answer(moment.entry, self._phrasing))
        return f"{self._entrant_label(strike.entrant)} {text}"

    # ---- questions

    def _prompt_lines(self, entrant: int, prompt: PromptView, now: int) -> Iterator[NarrationLine]:
        seat = self._builder.seat_of(entrant)
        prompt_state = self._prompts.get(prompt.id)
        if prompt_state is not None and seat in prompt_state.seats:
            prompt_state.view = prompt
            return
        if prompt_state is None:
            prompt_state = self._prompts[prompt.id] = _OpenPrompt(prompt, now)
        prompt_state.seats.append(seat)
        if not self._is_group(prompt_state):
            text = f"seat {seat} is to answer: {self._phrasing.describe_options(prompt.kind, prompt.options)}"
            allowed = count_remaining_us(prompt, now)
            data = {"prompt_id": prompt.id, "prompt": prompt.kind, "seats": [seat], "allowed_us": allowed}
            yield self._builder.line("ask", text, now, data=data)

    def _is_group(self, prompt_state: _OpenPrompt) -> bool:
        """Return whether all answers to this question are shown on one line. In the live style they never are."""
        return prompt_state.view.kind != "turn" and not self._is_live

    def _close_groups(self, at: int) -> Iterator[NarrationLine]:
        """Yield one line with all answers for each question that the referee has closed."""
        playing = self._replay.referee.current_game
        still_open = set() if playing is None else {group.id for group in playing.prompts.groups.values()}
        for prompt_id in self._prompts.keys() - still_open:
            prompt_state = self._prompts.pop(prompt_id)
            if self._is_group(prompt_state):
                yield self._group_line(prompt_id, prompt_state, at)
                self._notes += prompt_state.notes

    def _group_line(
        self, prompt_id: int, prompt_state: _OpenPrompt, at: int, silence: str = "no answer from"
    ) -> NarrationLine:
        parts = [f"seat {answer['seat']} {answer['words']}" for answer in prompt_state.answers]
        answered = {answer["seat"] for answer in prompt_state.answers}
        silent = [seat for seat in prompt_state.seats if seat not in answered]
        parts += [f"{silence} {format_seats(silent)}"] if silent else []
        answers = [{name: answer[name] for name in answer if name != "words"} for answer in prompt_state.answers]
        data = {
            "prompt_id": prompt_id,
            "prompt": prompt_state.view.kind,
            "seats": prompt_state.seats,
            "answers": answers,
        }
        return self._builder.line("answers", f"asked: {', '.join(parts)}", at, data=data)

    # ---- answers

    def _decision_lines(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]:
        entry, key = moment.entry, (order.entrant, order.prompt_id, order.action_id)
        match order.status:
            case DecisionStatus.ACCEPTED | DecisionStatus.HELD if key in self._decisions:
                yield self._line_about(order, entry.at, "sends the same answer again, which changes nothing")
            case DecisionStatus.ACCEPTED | DecisionStatus.HELD:
                yield from self._narrate_accepted(moment, order)
            case DecisionStatus.LANDED:
                took = self._decisions[key][1]
                self._event_suffix = (f" (decided after {format_duration(took)}, held until now)", {"after_us": took})
            case DecisionStatus.HOLD_CANCELLED:
                yield self._line_about(order, entry.at, f"{self._decisions[key][0]}: that held move is void")
            case DecisionStatus.REFUSED if not has_strike(moment.orders, order.entrant):
                why = why_refused(order, self._phrasing)
                yield self._line_about(order, entry.at, f"{describe_answer(entry, self._phrasing)}, refused: {why}")
            case _:
                return

    def _narrate_accepted(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]:
        """Narrate an accepted answer in one of three ways.

        An answer to a group of questions waits until the group closes. A move that causes an event becomes part of that
        event's line. Any other answer gets its own line immediately.
        """
        entry, prompt_state = moment.entry, self._prompts[order.prompt_id]
        assert isinstance(entry, Answer | NoAnswer), "nothing else is accepted"
        seat, took = self._builder.seat_of(order.entrant), prompt_state.count_us(entry.at)
        action = describe_answer(entry, self._phrasing)
        self._decisions[order.entrant, order.prompt_id, order.action_id] = (action, took)
        words = f"{action} after {format_duration(took)}"
        if self._is_group(prompt_state):
            prompt_state.answers.append({"seat": seat, "words": words, "after_us": took, "action": entry.text})
            prompt_state.notes += [(seat, entry.note)] if entry.note else []
            return
        self._notes += [(seat, entry.note)] if entry.note else []
        if isinstance(entry, NoAnswer):
            return  # the line of the strike says it
        if order.status is DecisionStatus.ACCEPTED and any(isinstance(o, TellEvent) for o in moment.orders):
            self._event_suffix = (f" (after {format_duration(took)})", {"after_us": took, "action": entry.text})
        else:
            held = ", held until its time" if order.status is DecisionStatus.HELD else ""
            yield self._line_about(order, entry.at, words + held, {"after_us": took, "action": entry.text})

    def _line_about(
        self, order: DecisionResult, at: int, words: str, more: Mapping[str, Any] | None = None
    ) -> NarrationLine:
        data = {"entrant": order.entrant, "prompt_id": order.prompt_id, "status": order.status.value, **(more or {})}
        if order.reason:
            data |= {"reason": order.reason}
        return self._builder.line("answer", f"{self._entrant_label(order.entrant)} {words}", at, data=data)

    def _note_lines(self, at: int) -> Iterator[NarrationLine]:
        notes, self._notes = self._notes, []
        for seat, note in notes:
            data = {"seat": seat, "note": note}
            yield self._builder.line("note", f"note of seat {seat}: {escape_unprintable(note)}", at, data=data)
