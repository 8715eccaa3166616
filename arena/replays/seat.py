"""A match as one seat lived it: at each decision what it knew and was allowed, what it did, what it learned from it.

Everything comes from what the seat itself was told: the game's `redact` and `snapshot`, its own prompts, answers and
strikes. Notes are its own.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.match.archive import plain
from arena.match.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, Struck
from arena.match.inputs import Input, Kind
from arena.match.orders import Announce, Answer, Ask, Order, PromptView, Status, Strike, Tell
from arena.match.replay import Moment, Replay
from arena.replays.faults import fault_facts, fault_text, patience, refusal_in, why_refused
from arena.replays.lines import Course, Line
from arena.replays.voice import voice_of
from arena.replays.words import duration, shown
from arena.rules.game import Seat

Choice = Callable[[Sequence[int]], Seat]
"""Which seat is looked at, out of the entrants by seat of a game."""

_BECAME = {
    Status.ACCEPTED: "",
    Status.HELD: ", held until its time",
    Status.LANDED: ", which was held and lands now",
    Status.HOLD_CANCELLED: ", which was held and is void now",
}


def seat_view(replay: Replay, choose: Choice) -> Iterator[Line]:
    """Tell a match as one seat of each game knew it; ends where the records end."""
    return _SeatView(replay, choose).lines()


class _SeatView:
    def __init__(self, replay: Replay, choose: Choice) -> None:
        self._replay = replay
        self._game = replay.terms.game
        self._voice = voice_of(self._game)
        hidden = [f"entrant {number}" for number in range(len(replay.terms.entrants))]
        self._course = Course(self._game, hidden if replay.terms.anonymous else replay.terms.entrants)
        self._choose = choose
        self._seat = Seat(0)
        self._entrant: int | None = None
        """Who is looked at; None before the first game."""
        self._asked: dict[int, tuple[PromptView, int]] = {}
        """By prompt id: the prompt as it was last told, and when it was asked first."""
        self._acts: dict[int, str] = {}
        """By action id: the own decisions in words."""

    def lines(self) -> Iterator[Line]:
        last_heard_at = 0
        for moment in self._replay.moments():
            for line in self._moment(moment):
                last_heard_at = moment.entry.now
                yield line
        if self._replay.referee.ended is None:
            yield self._course.break_off(self._replay.referee, last_heard_at)

    def _moment(self, moment: Moment) -> Iterator[Line]:
        yield from self._input(moment.entry)
        for order in moment.orders:
            yield from self._order(moment, order)

    def _input(self, entry: Input) -> Iterator[Line]:
        """The own connection is the seat's own business."""
        if entry.kind in (Kind.LOST, Kind.BACK) and entry.entrant == self._entrant:
            word = "is lost" if entry.kind is Kind.LOST else "is there again"
            yield self._course.line("info", f"the own connection {word}", entry.at)

    def _order(self, moment: Moment, order: Order) -> Iterator[Line]:
        entry = moment.entry
        match order:
            case Tell(event):
                yield from self._learn(event, entry.at)
            case Ask(entrant, prompt) if entrant == self._entrant:
                yield self._ask(prompt, entry.now)
            case Answer(entrant) if entrant == self._entrant:
                yield from self._answer(moment, order)
            case Strike(struck) if struck.entrant == self._entrant:
                yield self._strike(moment, struck)
            case Announce(fact):
                yield from self._announce(fact, entry)
            case _:
                return

    def _announce(self, fact: Any, entry: Input) -> Iterator[Line]:
        course = self._course
        match fact:
            case GameStarted():
                self._seat = self._choose(fact.entrants)
                self._entrant = fact.entrants[self._seat]
                self._asked.clear()
                yield course.begin_game(fact, entry.at)
            case GameEnded():
                yield course.end_game(fact, entry.at)
            case IntermissionStarted():
                yield course.line("match", f"a break of at most {duration(fact.until - entry.now)}", entry.at)
            case MatchEnded():
                yield course.end_match(fact.termination, fact.place_sums, entry.at)
            case _:
                return

    def _learn(self, event: Any, at: int) -> Iterator[Line]:
        """The public part of an event, then what this seat alone is told."""
        public, private = self._game.redact(event)
        for part in (public, *private.get(self._seat, ())):
            if part is not None:
                facts = {"part": type(part).__name__, "value": plain(part), "is_private": part is not public}
                yield self._course.line("event", self._voice.part(part), at, facts=facts)
        self._course.count(event)

    # ---- decisions

    def _ask(self, prompt: PromptView, now: int) -> Line:
        known = self._asked.get(prompt.id)
        self._asked[prompt.id] = (prompt, now if known is None else known[1])
        allowed = None if prompt.deadline is None else prompt.deadline - now
        within = "" if allowed is None else f" within {duration(allowed)}"
        facts = {"prompt_id": prompt.id, "prompt": prompt.kind, "allowed_us": allowed, "options": plain(prompt.options)}
        if known is not None:
            text = f"the question has new times: now{within or ' without limit'}"
            return self._course.line("info", text, now, facts=facts)
        rows = self._known(prompt, facts)
        return self._course.line("decision", f"seat {self._seat} is asked ({prompt.kind}){within}", now, rows, facts)

    def _known(self, prompt: PromptView, facts: dict[str, Any]) -> Sequence[tuple[str, str]]:
        """What the seat sees and may do; only the latter for a question that was closed as soon as it was put."""
        rows: list[tuple[str, str]] = []
        referee = self._replay.referee
        playing = referee.playing
        assert self._entrant is not None
        if playing is not None and any(view.id == prompt.id for view, _ in referee.prompts_of(self._entrant)):
            seen = self._game.snapshot(playing.state, self._seat)
            rows += self._voice.snapshot(seen, self._seat)
            facts["sees"] = plain(seen)
        return [*rows, ("legal", self._voice.options(prompt.kind, prompt.options))]

    def _answer(self, moment: Moment, order: Answer) -> Iterator[Line]:
        entry = moment.entry
        facts: dict[str, Any] = {"prompt_id": order.prompt_id, "status": order.status.value}
        is_decided_now = entry.kind in (Kind.ANSWER, Kind.REJECT) and order.action_id == entry.action_id
        text = self._decision(moment, order, facts) if is_decided_now else self._acts.get(order.action_id, "answers")
        if order.status is Status.REFUSED:
            facts |= {"reason": order.reason, "late_us": order.late_us}
            text += f", refused: {why_refused(order, self._voice)}"
        else:
            text += _BECAME[order.status]
        rows = [("note", shown(entry.note))] if is_decided_now and entry.note else []
        yield self._course.line("answer", f"seat {self._seat} {text}", entry.at, rows, facts)

    def _decision(self, moment: Moment, order: Answer, facts: dict[str, Any]) -> str:
        """What the seat has decided just now, and how long it took."""
        entry, words = moment.entry, self._words(moment)
        facts |= {"action": entry.text, "note": entry.note} if entry.kind is Kind.ANSWER else {}
        self._acts[order.action_id] = words
        asked = self._asked.get(order.prompt_id)
        if asked is None:
            return words
        facts["after_us"] = took = max(0, entry.at - asked[1])
        return f"{words} after {duration(took)}"

    def _words(self, moment: Moment) -> str:
        return self._voice.action(moment.action) if moment.entry.kind is Kind.ANSWER else "sends what cannot be read"

    def _strike(self, moment: Moment, struck: Struck) -> Line:
        """A strike. Why an answer was refused has just been told."""
        refused = refusal_in(moment.orders)
        text = f"the refused answer of seat {self._seat} is a strike: {struck.kind.value}"
        if refused is None:
            prompt = self._asked.get(struck.prompt_id)
            allowed = None if prompt is None or prompt[0].deadline is None else prompt[0].deadline - prompt[1]
            text = f"a strike: seat {self._seat} {fault_text(struck, self._voice, None, '', allowed)}"
            text += patience(self._replay.referee.conducts[struck.entrant], struck)
        return self._course.line("fault", text, moment.entry.at, facts=fault_facts(struck, refused))
