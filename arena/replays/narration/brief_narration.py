"""Shortens a narration to one line a move: names instead of seat numbers, lies and calls marked.

It is made only from the lines of the full narration, whether they come from this machine or from a server. For one
seat, it shows what the seat knew at its first decision. After that, a move has beside it what the seat newly knew and
the moves do not tell.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arena.replays.narration.hand_text import shorten_hand
from arena.replays.narration.move_numbers import MoveNumbering, event_name, is_start_of_move
from arena.replays.narration.phrasing import Mark, Phrasing, ToldEvent
from arena.replays.narration.seat_names import SeatNames
from arena.replays.narration.text_format import escape_unprintable, fold_repeats, format_duration
from arena.server.wire.narration_line import NarrationLine

_UNCHANGED: Final = "…"
_OF_A_SEAT: Final = re.compile(r"seat \d+: ")
"""Begins an item that needs no `…` in place of its neighbours: it names its own place."""
_PROPER_NAMES_IN_TEXT: Final = ("game", "end", "match")
"""Kinds of lines whose sentences have names already."""


@dataclass(frozen=True, slots=True)
class BriefLine:
    kind: str
    """`move` for a move, `knew` for what a seat knew beside no move; for all other lines that in the full narration."""
    text: str
    turn: int | None = None
    """Number of moves and passes before this move; None if the line is no move."""
    at_us: int | None = None
    """Microseconds since the start of the game; None if the line has no instant of its own."""
    marks: tuple[Mark, ...] = ()
    rows: Sequence[tuple[str, str]] = ()
    """Details as pairs of label and text; of a move, what the shown seat newly knew when it was asked."""


@dataclass(slots=True)
class _OpenMove:
    """A move whose line is not complete yet, or the time before the first move of a game."""

    turn: int | None = None
    at_us: int = 0
    events: list[ToldEvent] = field(default_factory=list)
    took_us: int | None = None
    """How long the shown seat has thought about its own move; None for moves of others."""
    answers: list[tuple[str, int]] = field(default_factory=list)
    """What the shown seat answered to the move, and after how many microseconds."""
    knew: list[tuple[str, str]] = field(default_factory=list)
    """What the shown seat newly knew when it was asked."""
    later: list[BriefLine] = field(default_factory=list)
    """Lines about the move that follow it."""


def shorten(lines: Iterable[NarrationLine], phrasing: Phrasing, entrants: Sequence[str]) -> Iterator[BriefLine]:
    """Yield the short form of a narration. `entrants` has the names to show, by entrant."""
    return _Shortener(phrasing, entrants).lines(lines)


class _Shortener:
    def __init__(self, phrasing: Phrasing, entrants: Sequence[str]) -> None:
        self._phrasing = phrasing
        self._entrants = entrants
        self._names = SeatNames()
        self._numbering = MoveNumbering(phrasing)
        self._move = _OpenMove()
        self._asked: list[BriefLine] = []
        """Lines about the question that asks for the next move. They stand before that move."""
        self._took_us: int | None = None
        """How long the shown seat has thought about the next move; None if it has not answered."""
        self._knew: list[tuple[str, str]] = []
        """What the shown seat newly knew when it was asked for the next move."""
        self._is_one_seat = False
        """Whether the narration is that of one seat: only such a narration has decisions."""
        self._rows: dict[str, str] = {}
        """What the shown seat knew at its last decision, by label; legal answers, by the kind of the question."""

    def lines(self, lines: Iterable[NarrationLine]) -> Iterator[BriefLine]:
        for line in lines:
            number = self._numbering.number_of(line)
            if line.kind in _PROPER_NAMES_IN_TEXT or line.turn is None:
                yield from self._close_move()
                yield self._line_between_moves(line)
            elif is_start_of_move(line, self._phrasing):
                yield from self._open_move(line)
            elif line.kind == "event":
                yield from self._add_event(line)
            else:
                is_about_next = number is not None and number != self._move.turn
                self._add_detail(line, self._asked if is_about_next else self._move.later, is_about_next=is_about_next)
        yield from self._close_move()

    def _line_between_moves(self, line: NarrationLine) -> BriefLine:
        if line.kind == "game":
            seats = line.data.get("seats")
            if seats is not None:
                self._names = SeatNames([self._entrants[entrant] for entrant in seats])
            self._rows.clear()
            text = f"game {line.game}: {', '.join(self._names)}" if seats is not None else line.text
            return BriefLine("game", text)
        at_us = None if line.kind == "match" else line.at_us
        return BriefLine(line.kind, line.text, None, at_us, (), line.rows)

    # ---- moves

    def _open_move(self, line: NarrationLine) -> Iterator[BriefLine]:
        yield from self._close_move(is_followed=True)
        move = _OpenMove(line.turn, line.at_us, [_told_event(line)], self._took_us)
        if self._took_us is not None:  # otherwise the move may be that of another seat
            move.knew, self._knew = self._knew, []
        yield from self._close_question()
        self._move = move

    def _add_event(self, line: NarrationLine) -> Iterator[BriefLine]:
        """Add an event to its move. Before the first move, each event has its own line."""
        if self._move.turn is not None:
            self._move.events.append(_told_event(line))
            return
        yield from self._close_move(is_followed=True)
        for sentence in self._names.put_in(line.text).split("; "):
            yield BriefLine("event", fold_repeats(sentence), None, line.at_us)

    def _close_move(self, *, is_followed: bool = False) -> Iterator[BriefLine]:
        """Yield the lines of the open move. If no move follows, also yield the question that nobody answered."""
        move, self._move = self._move, _OpenMove()
        if move.turn is not None:
            brief = self._phrasing.describe_move(move.events)
            first, _, rest = brief.text.partition("; ")
            thought = "" if move.took_us is None else f" ({format_duration(move.took_us)})"
            for words, took_us in move.answers:
                answer = f"{words} ({format_duration(took_us)})"
                rest, is_told = re.subn(rf"{re.escape(words)}\b", answer, rest, count=1)
                if not is_told:  # otherwise an event tells the answer again
                    thought += f"; {answer}"
            text = "; ".join(filter(None, (first + thought, rest)))
            text = fold_repeats(self._names.put_in(text))
            yield BriefLine("move", text, move.turn, move.at_us, brief.marks, move.knew)
        elif move.knew:
            yield BriefLine("knew", "", rows=move.knew)
        yield from move.later
        if not is_followed:
            yield from self._close_question()

    def _close_question(self) -> Iterator[BriefLine]:
        """Yield the lines about the question that asks for the next move."""
        if self._knew:
            yield BriefLine("knew", "", rows=self._knew)
        yield from self._asked
        self._asked, self._knew, self._took_us = [], [], None

    # ---- everything else

    def _add_detail(self, line: NarrationLine, to: list[BriefLine], *, is_about_next: bool) -> None:
        """Add what is neither an event nor a move: decisions, answers, faults, notes and remarks."""
        data = line.data
        match line.kind:
            case "ask" | "answers":
                return
            case "decision":
                self._is_one_seat = True
                is_first = not self._rows
                rows = self._changed_rows(line)
                if is_first:
                    to.append(BriefLine("knew", "", rows=rows))
                else:
                    (self._knew if is_about_next else self._move.knew).extend(rows)
            case "answer" if data.get("status") != "refused":
                if self._is_one_seat:
                    self._add_answer(line, is_about_next=is_about_next)
                to += [BriefLine("note", f"note: {text}", None, line.at_us) for _, text in line.rows]
            case "note":
                text = f"note of {self._names[data['seat']]}: {escape_unprintable(data['note'])}"
                to.append(BriefLine("note", text, None, line.at_us))
            case _:
                text = self._names.put_in(line.text)
                to.append(BriefLine(line.kind, text, None, line.at_us, (), line.rows))

    def _add_answer(self, line: NarrationLine, *, is_about_next: bool) -> None:
        """Keep how long the shown seat took for its next move, or add its answer to the move that it answered."""
        took_us = line.data.get("after_us")
        if is_about_next or self._move.turn is None:
            self._took_us = self._took_us if took_us is None else took_us
        elif line.data.get("status") == "accepted" and took_us is not None:
            self._move.answers.append((line.text.rpartition(" after ")[0], took_us))

    def _changed_rows(self, decision: NarrationLine) -> list[tuple[str, str]]:
        """Return the rows that have changed since the last decision, each without its unchanged and its told parts.

        Rows with the same text become one row. A row that was not shown before is returned whole.
        """
        labels: dict[str, list[str]] = {}
        for label, text in decision.rows:
            place = f"{label} {decision.data.get('prompt')}" if label == "legal" else label
            before, self._rows[place] = self._rows.get(place), text
            if changed := text if before is None else self._describe_change(label, text, before):
                shown = shorten_hand(changed, before) if label == "hand" else changed
                labels.setdefault(fold_repeats(self._names.put_in(shown)), []).append(label)
        return [(" and ".join(same), text) for text, same in labels.items()]

    def _describe_change(self, label: str, text: str, before: str) -> str:
        """Return what has changed in a row and is not told by the moves; empty if nothing is."""
        new, old = (self._phrasing.untold_part(label, part) for part in (text, before))
        if new == old:
            return ""
        return new if label in ("hand", "legal") else _fold_unchanged(new, old)


def _fold_unchanged(text: str, before: str) -> str:
    """Return a list with its changed items, which are compared place by place, and `…` where others are left out.

    Items that say whose they are need no `…`.

    >>> _fold_unchanged("seat 0: 17, seat 1: 18, seat 2: 18", "seat 0: 18, seat 1: 18, seat 2: 18")
    'seat 0: 17'
    >>> _fold_unchanged("seat 1, rolled 3 and 4", "seat 1, rolled 5 and 6")
    '…, rolled 3 and 4'
    """
    items, old = text.split(", "), before.split(", ")
    folded: list[str] = []
    for index, item in enumerate(items):
        if index >= len(old) or item != old[index]:
            folded.append(item)
        elif folded[-1:] != [_UNCHANGED] and not _OF_A_SEAT.match(item):
            folded.append(_UNCHANGED)
    return ", ".join(folded)


def _told_event(line: NarrationLine) -> ToldEvent:
    value: Mapping[str, Any] = line.data.get("value") or {}
    return ToldEvent(event_name(line), value, line.text)
