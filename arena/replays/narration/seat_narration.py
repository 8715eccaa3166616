"""Narrates a match for one seat: what the seat knew at each decision, what it could do, what it did, what it learned.

The narration uses only what the seat itself received or sent: events and snapshots as the game's `redact` and
`snapshot` show them to the seat, and the seat's own prompts, answers, notes and strikes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.match.game import Seat
from arena.match.referee.facts import GameStarted, StrikeIssued
from arena.match.referee.inputs import Answer, Disconnect, Input, NoAnswer, Reconnect, Reject
from arena.match.referee.orders import DecisionResult, DecisionStatus, PromptView
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.plain_data import to_plain
from arena.replays.narration.narrator import AskedPrompt, Narrator, count_remaining_us
from arena.replays.narration.phrasing import Phrasing, describe_answer
from arena.replays.narration.strike_text import why_refused
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


class _SeatNarrator(Narrator):
    def __init__(self, replay: Replay, choose: SeatSelector, phrasing: Phrasing) -> None:
        hidden = [f"entrant {number}" for number in range(len(replay.terms.entrants))]
        super().__init__(replay, phrasing, hidden if replay.terms.anonymous else replay.terms.entrants)
        self._choose = choose
        self._seat = Seat(0)
        self._entrant: EntrantIndex | None = None
        """The entrant in that seat; None before the first game."""
        self._prompts: dict[int, AskedPrompt] = {}
        self._decisions: dict[tuple[EntrantIndex, PromptId, int], str] = {}
        """The text of each decision of the seat, by entrant, prompt and action id. Bots choose the action ids."""

    def _is_told_about(self, entrant: int) -> bool:
        return entrant == self._entrant

    def _input_lines(self, entry: Input) -> Iterator[NarrationLine]:
        if isinstance(entry, Disconnect | Reconnect) and self._is_told_about(entry.entrant):
            word = "is lost" if isinstance(entry, Disconnect) else "is there again"
            yield self._builder.line("info", f"the own connection {word}", entry.at)

    def _event_lines(self, event: Any, at: int) -> Iterator[NarrationLine]:
        public, private = self._game.redact(event)
        for part in (public, *private.get(self._seat, ())):
            if part is not None:
                data = {"part": type(part).__name__, "value": to_plain(part), "is_private": part is not public}
                yield self._builder.line("event", self._phrasing.describe_part(part), at, data=data)

    def _fact_lines(self, fact: Any, entry: Input) -> Iterator[NarrationLine]:
        if isinstance(fact, GameStarted):
            self._seat = self._choose(fact.entrants)
            self._entrant = fact.entrants[self._seat]
            self._prompts.clear()
        return super()._fact_lines(fact, entry)

    def _describe_strike(self, _: Moment, strike: StrikeIssued, refused: DecisionResult | None) -> str:
        if refused is not None and strike.no_answer is None:  # the line before this one says why
            return f"the refused answer of seat {self._seat} is a strike: {strike.kind.value}"
        return f"a strike: seat {self._seat} {self._strike_text(strike, None, '')}"

    # ---- decisions

    def _prompt_lines(self, _: int, prompt: PromptView, now: int) -> Iterator[NarrationLine]:
        known = self._prompts.get(prompt.id)
        self._prompts[prompt.id] = AskedPrompt(prompt, now if known is None else known.at)
        allowed = count_remaining_us(prompt, now)
        within = "" if allowed is None else f" within {format_duration(allowed)}"
        data = {
            "prompt_id": prompt.id,
            "prompt": prompt.kind,
            "allowed_us": allowed,
            "options": to_plain(prompt.options),
        }
        if known is not None:
            text = f"the question has new times: now{within or ' without limit'}"
            yield self._builder.line("info", text, now, data=data)
            return
        rows = [
            *self._snapshot_rows(prompt, data),
            ("legal", self._phrasing.describe_options(prompt.kind, prompt.options)),
        ]
        yield self._builder.line("decision", f"seat {self._seat} is asked ({prompt.kind}){within}", now, rows, data)

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

    def _decision_lines(self, moment: Moment, order: DecisionResult) -> Iterator[NarrationLine]:
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
        yield self._builder.line("answer", f"seat {self._seat} {text}", entry.at, rows, data)

    def _decision_text(self, moment: Moment, order: DecisionResult, data: dict[str, Any]) -> str:
        """Return the text of the decision that arrived just now and the time it took. Add both to `data`."""
        entry = moment.entry
        words = describe_answer(entry, self._phrasing)
        data |= {"action": entry.text, "note": entry.note} if isinstance(entry, Answer | NoAnswer) else {}
        self._decisions[order.entrant, order.prompt_id, order.action_id] = words
        prompt_state = self._prompts.get(order.prompt_id)
        if prompt_state is None:
            return words
        data["after_us"] = took = prompt_state.count_us(entry.at)
        return f"{words} after {format_duration(took)}"
