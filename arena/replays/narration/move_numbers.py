"""Says to which move each line of a narration belongs, so that moves can be selected and told as one line each."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from arena.errors import RequestError
from arena.replays.narration.phrasing import Phrasing
from arena.server.wire.narration_line import NarrationLine

_RANGE: Final = re.compile(r"(?P<first>\d*)(?P<dots>\.\.)?(?P<last>\d*)")


class TurnRange(NamedTuple):
    """A range of turns, both ends included."""

    first: int
    last: int | None
    """None if the range has no end."""

    def __contains__(self, turn: object) -> bool:
        return isinstance(turn, int) and self.first <= turn and (self.last is None or turn <= self.last)

    def __str__(self) -> str:
        if self.first == self.last:
            return str(self.first)
        return f"{self.first}..{'' if self.last is None else self.last}"


def read_turn_range(text: str) -> TurnRange:
    """Read `30`, `30..37`, `30..` or `..37`. Raises RequestError for anything else.

    >>> read_turn_range("30.."), read_turn_range("..37")
    (TurnRange(first=30, last=None), TurnRange(first=0, last=37))
    """
    found = _RANGE.fullmatch(text.strip()) if text.isascii() else None
    if found is None or not (found["first"] or found["last"]) or len(text) > 20:
        raise RequestError(f"--turn takes a turn or a range of turns, such as 30 or 30..37, not {text!r}")
    first = int(found["first"] or 0)
    last = int(found["last"]) if found["last"] else None if found["dots"] else first
    if last is not None and last < first:
        raise RequestError(f"--turn {text} names no turn: {last} comes before {first}")
    return TurnRange(first, last)


def shown_turn(kind: str, turn_count: int, phrasing: Phrasing) -> int:
    """Return the turn to which a question belongs, counted from 0.

    A question for a move belongs to that move; any other, such as a call window, to the last move. `turn_count` is the
    number of moves and passes when it was asked.
    """
    return turn_count if phrasing.asks_for_move(kind) else max(0, turn_count - 1)


class MoveNumbering:
    """Numbers the lines of a narration by the move that they are about. Takes every line in order.

    A line after a move belongs to this move: who answered, who called, and what it cost. A question to the seat that
    moves next, and what happens to its answer, belong to the next move.
    """

    def __init__(self, phrasing: Phrasing) -> None:
        self._phrasing = phrasing
        self._move: int | None = None
        """The turn of the last move; None before the first move of a game."""
        self._asked: set[int] = set()
        """Ids of the prompts that ask for a move."""

    def number_of(self, line: NarrationLine) -> int | None:
        """Return the turn of the move to which a line belongs; None if it belongs to no move."""
        if line.kind in ("game", "end", "match") or line.turn is None:
            self._move = None
            self._asked.clear()
            return None
        data = line.data
        if is_start_of_move(line, self._phrasing):
            self._move = line.turn
        elif self._phrasing.asks_for_move(str(data.get("prompt"))):
            self._asked.add(data.get("prompt_id", 0))
            return line.turn
        elif data.get("prompt_id") in self._asked:
            return line.turn if self._move is None or line.turn > self._move else self._move
        return self._move


def number_lines(
    lines: Iterable[NarrationLine], phrasing: Phrasing | None
) -> Iterator[tuple[NarrationLine, int | None]]:
    """Yield each line of a narration with the turn to which it belongs; without a phrasing, with its own `turn`."""
    if phrasing is None:
        yield from ((line, line.turn) for line in lines)
        return
    numbering = MoveNumbering(phrasing)
    for line in lines:
        yield line, numbering.number_of(line)


def is_start_of_move(line: NarrationLine, phrasing: Phrasing) -> bool:
    """Return whether a line tells of the event with which a move begins."""
    return line.kind == "event" and phrasing.starts_move(event_name(line))


def event_name(line: NarrationLine) -> str:
    """Return the type name of a line's event or part of an event; empty if the line has neither."""
    return str(line.data.get("event") or line.data.get("part") or "")


def select_turns(lines: Iterable[NarrationLine], turns: TurnRange, phrasing: Phrasing) -> Iterator[NarrationLine]:
    """Yield the lines about these moves. Before the first of them in a game, yield the line that begins the game."""
    numbering, opening = MoveNumbering(phrasing), list[NarrationLine]()
    for line in lines:
        number = numbering.number_of(line)
        if line.kind == "game":
            opening = [line]
        elif number in turns:
            yield from opening
            opening.clear()
            yield line
