"""Narrates a match for one seat: what the seat knew at each decision, what it could do, what it did, what it learned.

The narration uses only what the seat itself received or sent: events and snapshots as the game's `redact` and
`snapshot` show them to the seat, and the seat's own prompts, answers, notes and strikes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.match.game import Seat
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, StrikeIssued
from arena.match.referee.inputs import Answer, Disconnect, Input, NoAnswer, Reconnect, Reject
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
)
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.plain_data import to_plain
from arena.replays.narration.line_builder import LineBuilder
from arena.replays.narration.phrasing import Phrasing, describe_answer
from arena.replays.narration.strike_text import (
    describe_lost_patience,
    find_refusal,
    strike_data,
    strike_text,
    why_refused,
)
from arena.replays.narration.text_format import escape_unprintable, format_duration
from arena.server.wire.narration_line import NarrationLine

SeatSelector = Callable[[Sequence[int]], Seat]
"""Returns the seat to show. Its argument lists the entrants of a game by seat."""

_STATUS_SUFFIXES = {
    DecisionStatus.ACCEPTED: "",
    DecisionStatus.HELD: ", held until its time",
    DecisionStatus.LANDED: ", which was held and lands now",
    DecisionStatus.HOLD_CANCELLED: ", which was held and is void now",
}


def narrate_seat(replay: Replay, choose: SeatSelector, phrasing: Phrasing) -> Iterator[NarrationLine]:
    """Yield the lines of a match as one seat of each game knew it, up to the end of the records."""
    return _SeatNarrator(replay, choose, phrasing).lines()


class _SeatNarrator:
    def __init__(self, replay: Replay, choose: SeatSelector, phrasing: Phrasing) -> None:
        self._replay = replay
        self._game = replay.terms.game
        self._phrasing = phrasing
        hidden = [f"entrant {number}" for number in range(len(replay.terms.entrants))]
        self._builder = LineBuilder(self._game, hidden if replay.terms.anonymous else replay.terms.entrants)
        self._choose = choose
        self._seat = Seat(0)
        self._entrant: EntrantIndex | None = None
        """The entrant in that seat; None before the first game."""
        self._prompts: dict[int, tuple[PromptView, int]] = {}
        """The latest view of each prompt and the time when it was first asked, by prompt id."""
        self._decisions: dict[tuple[EntrantIndex, PromptId, int], str] = {}
        """The text of each decision of the seat, by entrant, prompt and action id. Bots choose the action ids."""

    def lines(self) -> Iterator[NarrationLine]:
        last_heard_at = 0
        for moment in self._replay.moments():
            for line in self._moment_lines(moment):
                last_heard_at = moment.entry.now
                yield line
        if self._replay.referee.ended is None:
            yield self._builder.interrupt_match(self._replay.referee, last_heard_at)

    def _moment_lines(self, moment: Moment) -> Iterator[NarrationLine]:
        """Yield the lines of an input and its orders. The input itself has a line if it is about the connection."""
        entry = moment.entry
        if isinstance(entry, Disconnect | Reconnect) and entry.entrant == self._entrant:
            word = "is lost" if isinstance(entry, Disconnect) else "is there again"
            yield self._builder.line("info", f"the own connection {word}", entry.at)
        for order in moment.orders:
            yield from self._narrate_order(moment, order)

    def _narrate_order(self, moment: Moment, order: Order) -> Iterator[NarrationLine]:
        entry = moment.entry
        match order:
            case TellEvent(event):
                public, private = self._game.redact(event)
                for part in (public, *private.get(self._seat, ())):
                    if part is not None:
                        is_private = part is not public
                        data = {"part": type(part).__name__, "value": to_plain(part), "is_private": is_private}
                        yield self._builder.line("event", self._phrasing.describe_part(part), entry.at, data=data)
                self._builder.count_turns(event)
            case Ask(entrant, prompt) if entrant == self._entrant:
                yield self._prompt_line(prompt, entry.now)
            case DecisionResult(entrant) if entrant == self._entrant:
                yield self._decision_line(moment, order)
            case TellStrike(strike) if strike.entrant == self._entrant:
                yield self._strike_line(moment, strike)
            case AnnounceFact(fact):
                yield from self._narrate_fact(fact, entry)
            case _:
                return

    def _narrate_fact(self, fact: Any, entry: Input) -> Iterator[NarrationLine]:
        builder = self._builder
        match fact:
            case GameStarted():
                self._seat = self._choose(fact.entrants)
                self._entrant = fact.entrants[self._seat]
                self._prompts.clear()
                yield builder.begin_game(fact, entry.at)
            case GameEnded():
                yield builder.end_game(fact, entry.at)
            case IntermissionStarted():
                yield builder.line("match", f"a break of at most {format_duration(fact.until - entry.now)}", entry.at)
            case MatchEnded():
                yield builder.end_match(fact.termination, fact.place_sums, entry.at)
            case _:
                return

    # ---- decisions

    def _prompt_line(self, prompt: PromptView, now: int) -> NarrationLine:
        known = self._prompts.get(prompt.id)
        self._prompts[prompt.id] = (prompt, now if known is None else known[1])
        allowed = None if prompt.deadline is None else prompt.deadline - now
        within = "" if allowed is None else f" within {format_duration(allowed)}"
        data = {
            "prompt_id": prompt.id,
            "prompt": prompt.kind,
            "allowed_us": allowed,
            "options": to_plain(prompt.options),
        }
        if known is not None:
            text = f"the question has new times: now{within or ' without limit'}"
            return self._builder.line("info", text, now, data=data)
        rows = [
            *self._snapshot_rows(prompt, data),
            ("legal", self._phrasing.describe_options(prompt.kind, prompt.options)),
        ]
        return self._builder.line("decision", f"seat {self._seat} is asked ({prompt.kind}){within}", now, rows, data)

    def _snapshot_rows(self, prompt: PromptView, data: dict[str, Any]) -> Sequence[tuple[str, str]]:
        """Return rows for what the seat sees when it is asked, and add its snapshot to `data`.

        Return no rows if the input that asked the question also closed it, because the game has moved on since then.
        """
        referee = self._replay.referee
        playing = referee.current_game
        assert self._entrant is not None
        if playing is None or all(view.id != prompt.id for view, _ in referee.prompts_of(self._entrant)):
            return ()
        snapshot = self._game.snapshot(playing.state, self._seat)
        data["sees"] = to_plain(snapshot)
        return self._phrasing.snapshot_rows(snapshot, self._seat)

    def _decision_line(self, moment: Moment, order: DecisionResult) -> NarrationLine:
        entry = moment.entry
        data: dict[str, Any] = {"prompt_id": order.prompt_id, "status": order.status.value}
        key = (order.entrant, order.prompt_id, order.action_id)
        is_decided_now = isinstance(entry, Answer | NoAnswer | Reject) and key == (
            entry.entrant,
            entry.prompt_id,
            entry.action_id,
        )
        text = self._decision_text(moment, order, data) if is_decided_now else self._decisions.get(key, "answers")
        if order.status is DecisionStatus.REFUSED:
            data |= {"reason": order.reason, "late_us": order.late_us}
            text += f", refused: {why_refused(order, self._phrasing)}"
        else:
            text += _STATUS_SUFFIXES[order.status]
        note = entry.note if is_decided_now and isinstance(entry, Answer | NoAnswer) else ""
        rows = [("note", escape_unprintable(note))] if note else []
        return self._builder.line("answer", f"seat {self._seat} {text}", entry.at, rows, data)

    def _decision_text(self, moment: Moment, order: DecisionResult, data: dict[str, Any]) -> str:
        """Return the text of the decision that arrived just now and the time it took. Add both to `data`."""
        entry = moment.entry
        words = describe_answer(entry, self._phrasing)
        data |= {"action": entry.text, "note": entry.note} if isinstance(entry, Answer | NoAnswer) else {}
        self._decisions[order.entrant, order.prompt_id, order.action_id] = words
        prompt_state = self._prompts.get(order.prompt_id)
        if prompt_state is None:
            return words
        data["after_us"] = took = max(0, entry.at - prompt_state[1])
        return f"{words} after {format_duration(took)}"

    def _strike_line(self, moment: Moment, strike: StrikeIssued) -> NarrationLine:
        """Return the line for a strike. If an answer was refused, the line before this one says why."""
        refused = find_refusal(moment.orders, strike.entrant)
        text = f"the refused answer of seat {self._seat} is a strike: {strike.kind.value}"
        if refused is None or strike.no_answer is not None:
            prompt = self._prompts.get(strike.prompt_id)
            allowed = None if prompt is None or prompt[0].deadline is None else prompt[0].deadline - prompt[1]
            text = f"a strike: seat {self._seat} {strike_text(strike, self._phrasing, None, '', allowed)}"
            text += describe_lost_patience(self._replay.referee.entrant_records[strike.entrant], strike)
        return self._builder.line("fault", text, moment.entry.at, data=strike_data(strike, refused))
