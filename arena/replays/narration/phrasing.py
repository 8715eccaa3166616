"""Defines how a game is put into words from one seat: what the seat sees, may do, does and learns.

In contrast, `Game.describe_event` describes whole events, with all their secrets.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from arena.match.game import Game, Seat
from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven
from arena.match.referee.inputs import Answer, Input, NoAnswer
from arena.match.value_class import value_class
from arena.plain_data import to_plain


class Mark(Enum):
    """What stands out about a move. The value is the letter in its margin."""

    LIE = "L"
    RIGHT_CALL = "C"
    WRONG_CALL = "X"


MARK_WORDS: Mapping[Mark, str] = {
    Mark.LIE: "a lie",
    Mark.RIGHT_CALL: "called rightly",
    Mark.WRONG_CALL: "called wrongly",
}


@value_class()
class ToldEvent:
    """An event, or a part of one, with its sentence."""

    name: str
    """The name of its type."""
    value: Mapping[str, Any]
    """Its fields as plain values."""
    text: str
    """The sentence of the full narration."""


@value_class()
class BriefMove:
    """A move and its consequences in few words."""

    text: str
    marks: tuple[Mark, ...] = ()
    caught: int | None = None
    """The seat whose lie was caught; None if none was."""


@value_class()
class CardCounts:
    """How many cards lie where. A count that the viewer may not know is None."""

    hands: Sequence[int | None] = ()
    """By seat; empty if the game has no hands."""
    piles: Sequence[tuple[str, int | None]] = ()
    """The name and the count of each pile on the table."""


class Phrasing(Protocol):
    """Puts one game into words. Every argument is a value of that game."""

    def describe_options(self, kind: str, options: Any) -> str:
        """Describe the options of a question of this kind, e.g. `1 to 4 cards as Q, K or A`."""

    def describe_action(self, action: Any) -> str:
        """Describe what a seat does, as a predicate: `calls`."""

    def snapshot_rows(self, snapshot: Any, viewer: Seat) -> Sequence[tuple[str, str]]:
        """Return the viewer's snapshot as rows of label and text."""

    def untold_part(self, label: str, text: str) -> str:
        """Return the part of a snapshot's row that the moves do not tell; empty if they tell it all."""

    def describe_hand(self, snapshot: Any) -> str:
        """Return the row `hand` of the viewer's snapshot; empty if there is none."""

    def count_cards(self, snapshot: Any) -> CardCounts:
        """Return how many cards are in the hands and piles of a snapshot."""

    def describe_part(self, part: Any) -> str:
        """Describe what one seat learns from a public or private part of an event."""

    def describe_reason(self, code: str) -> str | None:
        """Return why the rules refuse an answer, or None if this game has no such code."""

    def starts_move(self, event: str) -> bool:
        """Return whether a move begins with an event, or part of an event, of the type with this name."""

    def asks_for_move(self, kind: str) -> bool:
        """Return whether a question of this kind asks for the event with which a move begins."""

    def describe_move(self, events: Sequence[ToldEvent]) -> BriefMove:
        """Describe a move briefly by its events, as everybody or as one seat got them. Some events may be missing."""

    def is_lie(self, action: Any) -> bool | None:
        """Return whether an action is a lie; None if it claims nothing."""


def describe_answer(entry: Input, phrasing: Phrasing) -> str:
    """Return what a bot sent, as a predicate. Every input except `Answer` and `NoAnswer` counts as unreadable."""
    match entry:
        case Answer():
            return phrasing.describe_action(entry.action)
        case NoAnswer():
            return describe_no_answer(entry.given, phrasing)
        case _:
            return "sends what cannot be read"


def describe_no_answer(given: NoAnswerGiven, phrasing: Phrasing) -> str:
    """Return why a bot has no answer, as a predicate. The words of the bot's author are left out."""
    match given.cause:
        case NoAnswerCause.CRASHED:
            return "has no answer: its code raised an exception"
        case NoAnswerCause.ILLEGAL:
            why = phrasing.describe_reason(given.reason) or "the answer breaks a rule"
            return f"has no answer: its own client found that {why} ({given.reason})"
        case NoAnswerCause.EMPTY:
            return "has no answer: its code returned none"
        case NoAnswerCause.GAVE_UP:
            return "gives up the question"


def join_sentences(events: Sequence[ToldEvent]) -> BriefMove:
    """Return a move as the sentences of its events, without marks."""
    return BriefMove("; ".join(event.text for event in events))


class PlainPhrasing:
    """Describes a game by the names and values in the code, for a new game that has no phrasing of its own yet."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def describe_options(self, kind: str, options: Any) -> str:
        return f"{kind} {to_plain(options)}"

    def describe_action(self, action: Any) -> str:
        return f"answers {self._game.write_action(action)}"

    def snapshot_rows(self, snapshot: Any, viewer: Seat) -> Sequence[tuple[str, str]]:
        values = to_plain(snapshot)
        fields = values.items() if isinstance(values, dict) else [("sees", values)]
        return [(str(name), str(value)) for name, value in fields]

    def untold_part(self, label: str, text: str) -> str:
        """Return the whole text, because nothing is known about the moves."""
        return text

    def describe_hand(self, snapshot: Any) -> str:
        return dict(self.snapshot_rows(snapshot, Seat(0))).get("hand", "")

    def count_cards(self, snapshot: Any) -> CardCounts:
        """Return no counts, because nothing is known about the cards."""
        return CardCounts()

    def describe_part(self, part: Any) -> str:
        return f"{type(part).__name__} {to_plain(part)}"

    def describe_reason(self, code: str) -> str | None:
        """Return None, because no refusal codes are known here."""
        return None

    def starts_move(self, event: str) -> bool:
        """Return True, so that each event has its own line."""
        return True

    def asks_for_move(self, kind: str) -> bool:
        """Return False, because nothing is known about the questions."""
        return False

    def describe_move(self, events: Sequence[ToldEvent]) -> BriefMove:
        return join_sentences(events)

    def is_lie(self, action: Any) -> bool | None:
        """Return None, because nothing is known about the actions."""
        return None
