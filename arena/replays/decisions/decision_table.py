"""Collects every decision of a match as a row of a table: the question, what the seat knew, the answer and its time.

A row has everything that its seat knew, as JSON. The two columns about lies, and the place, may tell more than the seat
knew. The notes of bots are left out, because they are private.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from arena.errors import RequestError
from arena.match.game import Game, Seat
from arena.match.referee.facts import GameEnded, GameStarted
from arena.match.referee.inputs import Answer
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.referee.replay import Moment, Replay
from arena.plain_data import to_plain
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.move_numbers import shown_turn
from arena.replays.narration.phrasing import Mark, Phrasing, ToldEvent
from arena.replays.narration.seat_selection import why_not_replayable


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A question to a seat, with its answer. The fields are the columns."""

    match_id: str
    game: int
    """0-based."""
    turn: int
    """The turn to which the question belongs, as `arena replay show` shows it; 0-based."""
    seat: int
    """0-based."""
    entrant: str
    prompt: str
    """The kind of the question."""
    asked_us: int
    """Microseconds from the start of the game to the question."""
    allowed_us: int | None
    """Microseconds that the seat had; empty without a deadline."""
    think_us: int | None
    """Microseconds from the question to the answer; empty if there is none."""
    answer: str
    """The answer that counted, in the game's text form; empty if there is none."""
    fault: str
    """The kind of the strike for this question; empty if there is none."""
    fault_reason: str
    """The code of the rule or of the protocol for the strike; empty if there is none."""
    automatic: str
    """The automatic action, in the game's text form; empty if there was none."""
    is_lie: bool | None
    """Whether the answer, or the automatic action, is a lie. Empty if it is no card move."""
    answers_a_lie: bool | None
    """For a question about another seat's card move: whether that move is a lie. Otherwise empty."""
    hand_size: int | None
    """Cards in the hand of the seat when it was asked; empty if the seat had no hand then."""
    sees: str
    """Everything that the seat knew of the table when it was asked, as JSON."""
    options: str
    """The legal answers, as JSON."""
    place: int | None
    """The seat's place in the end; 1 is best, and tied seats share one. Empty if the game did not end."""
    ruleset: str
    """The game, its version and the preset, such as `cheat 1 standard`."""
    deal: str
    """The commitment to the match's cards, in hexadecimal; empty if there was none, as in old versions."""

    def as_dict(self) -> dict[str, str | int | bool | None]:
        return asdict(self)


COLUMNS: Final = tuple(field.name for field in fields(DecisionRow))


async def read_decisions(
    library: Library, prefix: str, games: Mapping[str, Game], phrasing_of: Callable[[Game], Phrasing]
) -> tuple[str, list[DecisionRow]]:
    """Find a match, and return its id and its decisions game by game in the order of their questions.

    Raises UnknownNameError, or RequestError if the match still runs or cannot be replayed.
    """
    entry = await library.find(prefix)
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} still runs: its decisions are secret until it is over")
    return entry.match_id, decisions_of_entry(library, entry, games, phrasing_of)


def decisions_of_entry(
    library: Library, entry: LibraryEntry, games: Mapping[str, Game], phrasing_of: Callable[[Game], Phrasing]
) -> list[DecisionRow]:
    """Return the decisions of a match. Raises RequestError or JournalError if it cannot be replayed."""
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    replay, deal = Replay(records, games), "" if entry.deal is None else entry.deal.commitment.hex()
    return list(decisions_of(replay, entry.match_id, phrasing_of(replay.terms.game), deal))


def decisions_of(replay: Replay, match_id: str, phrasing: Phrasing, deal: str = "") -> Iterator[DecisionRow]:
    """Yield the decisions of a match. A question that was still open when the records end is left out."""
    return _DecisionReader(replay, match_id, phrasing, deal).rows()


class _DecisionReader:
    def __init__(self, replay: Replay, match_id: str, phrasing: Phrasing, deal: str) -> None:
        self._replay = replay
        self._rules = replay.terms.game
        self._match_id = match_id
        self._ruleset = f"{self._rules.name} {self._rules.version} {replay.terms.preset}"
        self._deal = deal
        self._phrasing = phrasing
        self._game, self._game_at, self._turn = 0, 0, 0
        self._seats: tuple[int, ...] = ()
        """Entrants by seat."""
        self._rows: dict[tuple[int, int], tuple[DecisionRow, int]] = {}
        """The row of each question of the game and the instant at which it was asked, by entrant and prompt."""
        self._withdrawn: set[tuple[int, int]] = set()
        """The questions that were closed without an answer."""
        self._move_is_lie: bool | None = None
        """Whether the last card move is a lie; None if there is none in this game."""

    def rows(self) -> Iterator[DecisionRow]:
        for moment in self._replay.moments():
            for order in moment.orders:
                yield from self._read_order(moment, order)
        yield from self._close_game(None)

    def _close_game(self, places: Sequence[int] | None) -> Iterator[DecisionRow]:
        """Yield the rows of a game in the order of their questions, without those that are still open.

        `places` are by seat; None if the game did not end.
        """
        for key, (row, _) in self._rows.items():
            if row.answer or row.fault or key in self._withdrawn:
                yield row if places is None else replace(row, place=places[row.seat])
        self._rows.clear()
        self._withdrawn.clear()

    def _read_order(self, moment: Moment, order: Order) -> Iterator[DecisionRow]:
        match order:
            case AnnounceFact(GameStarted() as fact):
                self._game, self._game_at, self._turn = fact.game, moment.entry.at, 0
                self._seats, self._move_is_lie = fact.entrants, None
            case AnnounceFact(GameEnded(places=places)):
                yield from self._close_game(places)
            case TellEvent(event):
                self._read_event(event)
            case Ask(entrant, prompt):
                self._open_question(entrant, prompt, moment.entry.now)
            case DecisionResult(entrant, prompt_id, _, DecisionStatus.ACCEPTED | DecisionStatus.HELD):
                self._answer((entrant, prompt_id), moment)
            case TellStrike(strike):
                self._strike((strike.entrant, strike.prompt_id), strike.kind.value, strike.reason, strike.automatic)
            case Withdraw(entrant, prompt_id):
                self._withdrawn.add((entrant, prompt_id))
            case _:
                return

    def _read_event(self, event: Any) -> None:
        self._turn += sum(word == "turns" for _, word in self._rules.event_statistics(event))
        name = type(event).__name__
        if self._phrasing.starts_move(name):
            self._move_is_lie = self._is_lie(name, to_plain(event))

    def _is_lie(self, name: str, value: Mapping[str, Any]) -> bool | None:
        """Return whether a move is a lie; None if it claims nothing."""
        if "cards" not in value or "rank" not in value:
            return None
        return Mark.LIE in self._phrasing.describe_move([ToldEvent(name, value, "")]).marks

    # ---- questions

    def _open_question(self, entrant: int, prompt: PromptView, now: int) -> None:
        """Open a row. If the seat has the question already, it has got new times or new options."""
        key = (entrant, prompt.id)
        if key in self._rows:
            return
        seat = Seat(self._seats.index(entrant))
        playing = self._replay.referee.current_game
        snapshot = None if playing is None else self._rules.snapshot(playing.state, seat)
        hand = None if snapshot is None else getattr(snapshot, "hand", None)
        row = DecisionRow(
            match_id=self._match_id,
            game=self._game,
            turn=shown_turn(prompt.kind, self._turn, self._phrasing),
            seat=seat,
            entrant=self._replay.terms.entrants[entrant],
            prompt=prompt.kind,
            asked_us=now - self._game_at,
            allowed_us=None if prompt.deadline is None else prompt.deadline - now,
            think_us=None,
            answer="",
            fault="",
            fault_reason="",
            automatic="",
            is_lie=None,
            answers_a_lie=None if self._phrasing.asks_for_move(prompt.kind) else self._move_is_lie,
            hand_size=None if snapshot is None or hand is None else snapshot.hand_sizes[seat],
            sees="" if snapshot is None else _write_json(snapshot),
            options=_write_json(prompt.options),
            place=None,
            ruleset=self._ruleset,
            deal=self._deal,
        )
        self._rows[key] = row, now

    def _answer(self, key: tuple[int, int], moment: Moment) -> None:
        known, entry = self._rows.get(key), moment.entry
        if known is None or known[0].answer or not isinstance(entry, Answer):
            return
        row, asked = known
        is_lie = self._phrasing.is_lie(entry.action)
        took = max(0, entry.at - asked)
        self._rows[key] = replace(row, answer=entry.text, think_us=took, is_lie=is_lie), asked

    def _strike(self, key: tuple[int, int], kind: str, reason: str, automatic: Any) -> None:
        known = self._rows.get(key)
        if known is None:
            return
        row = replace(known[0], fault=kind, fault_reason=reason)
        if automatic is not None:
            text, is_lie = self._rules.write_action(automatic), self._phrasing.is_lie(automatic)
            row = replace(row, automatic=text, is_lie=is_lie)
        self._rows[key] = row, known[1]


def _write_json(value: Any) -> str:
    return json.dumps(to_plain(value), separators=(",", ":"), ensure_ascii=False)
