"""The narration of a match for its organizer: everything that happened, for all seats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.match.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, StrikeIssued
from arena.match.inputs import Answer, Cancel, Credit, Disconnect, Input, InputKind, Leave, Reconnect
from arena.match.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
)
from arena.match.replay import Moment, Replay
from arena.plain_data import to_plain
from arena.replays.narration_lines import LineBuilder, NarrationLine
from arena.replays.phrasing import Phrasing
from arena.replays.strike_text import (
    describe_lost_patience,
    find_refusal,
    has_strike,
    strike_facts,
    strike_text,
    why_refused,
)
from arena.replays.text_format import escape_unprintable, format_duration, format_seats
from arena.rules.game import Style


@dataclass(slots=True)
class _OpenPrompt:
    """An open question."""

    view: PromptView
    at: int
    seats: list[int] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    """Seat, answer and time taken, in order of arrival."""
    notes: list[tuple[int, str]] = field(default_factory=list)


def narrate_match(replay: Replay, phrasing: Phrasing) -> Iterator[NarrationLine]:
    """Yield the lines of a match from its records, in the words of its game; ends where they end."""
    return _MatchNarrator(replay, phrasing).lines()


class _MatchNarrator:
    def __init__(self, replay: Replay, phrasing: Phrasing) -> None:
        self._replay = replay
        self._game = replay.terms.game
        self._voice = phrasing
        self._course = LineBuilder(self._game, replay.terms.entrants)
        self._is_live = replay.terms.pace.style is Style.LIVE
        self._asked: dict[int, _OpenPrompt] = {}
        self._acts: dict[tuple[int, int], tuple[str, int]] = {}
        """By entrant and action id: the decision in words, and the time taken."""
        self._aside: tuple[str, dict[str, Any]] = ("", {})
        """The answer that leads to the next event, shown with it."""
        self._notes: list[tuple[int, str]] = []

    def lines(self) -> Iterator[NarrationLine]:
        at = 0
        for moment in self._replay.moments():
            at = moment.entry.now
            yield from self._moment(moment)
        if self._replay.referee.ended is None:
            for prompt_id, asked in self._asked.items():
                if self._is_group(asked):
                    yield self._group_line(prompt_id, asked, at, "no answer yet from")
                    self._notes += asked.notes
            yield from self._note_lines(at)
            yield self._course.interrupt_match(self._replay.referee, at)

    def _moment(self, moment: Moment) -> Iterator[NarrationLine]:
        yield from self._input(moment)
        for order in moment.orders:
            yield from self._order(moment, order)
        yield from self._close_groups(moment.entry.at)
        yield from self._note_lines(moment.entry.at)

    # ---- what came in

    def _input(self, moment: Moment) -> Iterator[NarrationLine]:
        """Tell what no order tells."""
        entry, course = moment.entry, self._course
        match entry:
            case Disconnect() | Reconnect() | Leave():
                word = {
                    InputKind.LOST: "loses its connection",
                    InputKind.BACK: "is connected again",
                    InputKind.LEAVE: "gives up",
                }
                facts = {"entrant": entry.entrant, "input": entry.kind.name.lower()}
                yield course.line(
                    "info", f"{self._entrant_label(entry.entrant)} {word[entry.kind]}", entry.at, facts=facts
                )
            case Credit(us=us):
                text = f"the server stood still for {format_duration(us)}, which costs nobody any time"
                for asked in self._asked.values():
                    asked.at += us
                yield course.line("info", text, entry.at, facts={"input": "credit", "us": us})
            case Cancel():
                yield course.line("info", f"the match is ended from outside: {entry.termination}", entry.at)
            case _:
                return

    def _entrant_label(self, entrant: int) -> str:
        if self._course.game is None:
            return self._course.names[entrant]
        return f"seat {self._course.seat_of(entrant)}"

    # ---- what followed

    def _order(self, moment: Moment, order: Order) -> Iterator[NarrationLine]:
        entry = moment.entry
        match order:
            case DecisionResult():
                yield from self._answer(moment, order)
            case TellEvent(event):
                yield from self._close_groups(entry.at)
                yield self._event(event, entry.at)
            case Ask(entrant, prompt):
                yield from self._ask(entrant, prompt, entry.now)
            case TellStrike(struck):
                yield self._strike(moment, struck)
            case AnnounceFact(fact):
                yield from self._close_groups(entry.at)
                yield from self._announce(fact, entry)
            case _:
                return

    def _announce(self, fact: Any, entry: Input) -> Iterator[NarrationLine]:
        course = self._course
        match fact:
            case GameStarted():
                yield course.begin_game(fact, entry.at)
            case GameEnded():
                yield from self._note_lines(entry.at)
                yield course.end_game(fact, entry.at)
            case IntermissionStarted():
                text = f"a break of at most {format_duration(fact.until - entry.now)}"
                yield course.line("match", text, entry.at, facts={"until_us": fact.until})
            case MatchEnded():
                yield course.end_match(fact.termination, fact.place_sums, entry.at)
            case _:
                return

    def _event(self, event: Any, at: int) -> NarrationLine:
        (aside, answer), self._aside = self._aside, ("", {})
        facts = {"event": type(event).__name__, "value": to_plain(event), **answer}
        line = self._course.line("event", self._game.describe_event(event) + aside, at, facts=facts)
        self._course.count_turns(event)
        return line

    # ---- questions

    def _ask(self, entrant: int, prompt: PromptView, now: int) -> Iterator[NarrationLine]:
        seat = self._course.seat_of(entrant)
        asked = self._asked.get(prompt.id)
        if asked is not None and seat in asked.seats:
            asked.view = prompt
            return
        if asked is None:
            asked = self._asked[prompt.id] = _OpenPrompt(prompt, now)
        asked.seats.append(seat)
        if not self._is_group(asked):
            text = f"seat {seat} is to answer: {self._voice.describe_options(prompt.kind, prompt.options)}"
            allowed = self._remaining_us(prompt, now)
            facts = {"prompt_id": prompt.id, "prompt": prompt.kind, "seats": [seat], "allowed_us": allowed}
            yield self._course.line("ask", text, now, facts=facts)

    def _is_group(self, asked: _OpenPrompt) -> bool:
        """Return whether the answers are shown together, which the live style never does."""
        return asked.view.kind != "turn" and not self._is_live

    def _remaining_us(self, prompt: PromptView, now: int) -> int | None:
        return None if prompt.deadline is None else prompt.deadline - now

    def _close_groups(self, at: int) -> Iterator[NarrationLine]:
        """Tell who answered what to questions that are closed now."""
        playing = self._replay.referee.current_game
        still_open = set() if playing is None else {group.id for group in playing.open_groups.values()}
        for prompt_id in self._asked.keys() - still_open:
            asked = self._asked.pop(prompt_id)
            if self._is_group(asked):
                yield self._group_line(prompt_id, asked, at)
                self._notes += asked.notes

    def _group_line(self, prompt_id: int, asked: _OpenPrompt, at: int, lack: str = "no answer from") -> NarrationLine:
        told = [f"seat {given['seat']} {given['words']}" for given in asked.answers]
        silent = [seat for seat in asked.seats if seat not in {given["seat"] for given in asked.answers}]
        told += [f"{lack} {format_seats(silent)}"] if silent else []
        answers = [{name: given[name] for name in given if name != "words"} for given in asked.answers]
        facts = {"prompt_id": prompt_id, "prompt": asked.view.kind, "seats": asked.seats, "answers": answers}
        return self._course.line("answers", f"asked: {', '.join(told)}", at, facts=facts)

    def _strike(self, moment: Moment, struck: StrikeIssued) -> NarrationLine:
        refused, asked = find_refusal(moment.orders), self._asked.get(struck.prompt_id)
        allowed = None if asked is None else self._remaining_us(asked.view, asked.at)
        text = strike_text(struck, self._voice, refused, self._action_text(moment), allowed)
        text += describe_lost_patience(self._replay.referee.entrant_records[struck.entrant], struck)
        facts = strike_facts(struck, refused)
        return self._course.line("fault", f"{self._entrant_label(struck.entrant)} {text}", moment.entry.at, facts=facts)

    # ---- answers

    def _answer(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]:
        entry, key = moment.entry, (order.entrant, order.action_id)
        match order.status:
            case DecisionStatus.ACCEPTED | DecisionStatus.HELD if key in self._acts:
                yield self._line_about(order, entry.at, "sends the same answer again, which changes nothing")
            case DecisionStatus.ACCEPTED | DecisionStatus.HELD:
                yield from self._narrate_accepted(moment, order)
            case DecisionStatus.LANDED:
                took = self._acts[key][1]
                self._aside = (f" (decided after {format_duration(took)}, held until now)", {"after_us": took})
            case DecisionStatus.HOLD_CANCELLED:
                yield self._line_about(order, entry.at, f"{self._acts[key][0]}: that held move is void")
            case DecisionStatus.REFUSED if not has_strike(moment.orders):
                why = why_refused(order, self._voice)
                yield self._line_about(order, entry.at, f"{self._action_text(moment)}, refused: {why}")
            case _:
                return

    def _narrate_accepted(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]:
        """Keep a sealed answer until its group is closed, put a move beside the event it leads to, tell the rest."""
        entry, asked = moment.entry, self._asked[order.prompt_id]
        assert isinstance(entry, Answer), "nothing else is accepted"
        seat, took = self._course.seat_of(order.entrant), max(0, entry.at - asked.at)
        self._acts[order.entrant, order.action_id] = (self._action_text(moment), took)
        words = f"{self._action_text(moment)} after {format_duration(took)}"
        if self._is_group(asked):
            asked.answers.append({"seat": seat, "words": words, "after_us": took, "action": entry.text})
            asked.notes += [(seat, entry.note)] if entry.note else []
            return
        self._notes += [(seat, entry.note)] if entry.note else []
        if order.status is DecisionStatus.ACCEPTED and any(isinstance(o, TellEvent) for o in moment.orders):
            self._aside = (f" (after {format_duration(took)})", {"after_us": took, "action": entry.text})
        else:
            held = ", held until its time" if order.status is DecisionStatus.HELD else ""
            yield self._line_about(order, entry.at, words + held, {"after_us": took, "action": entry.text})

    def _action_text(self, moment: Moment) -> str:
        return (
            self._voice.describe_action(moment.entry.action)
            if isinstance(moment.entry, Answer)
            else "sends what cannot be read"
        )

    def _line_about(
        self, order: DecisionResult, at: int, words: str, more: Mapping[str, Any] | None = None
    ) -> NarrationLine:
        facts = {"entrant": order.entrant, "prompt_id": order.prompt_id, "status": order.status.value, **(more or {})}
        if order.reason:
            facts |= {"reason": order.reason}
        return self._course.line("answer", f"{self._entrant_label(order.entrant)} {words}", at, facts=facts)

    def _note_lines(self, at: int) -> Iterator[NarrationLine]:
        notes, self._notes = self._notes, []
        for seat, note in notes:
            facts = {"seat": seat, "note": note}
            yield self._course.line("note", f"note of seat {seat}: {escape_unprintable(note)}", at, facts=facts)
