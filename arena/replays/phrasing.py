"""Phrases a game from one seat: what it sees, may do, does and learns. `Game.describe_event` phrases whole events."""

from collections.abc import Sequence
from typing import Any, Protocol

from arena.plain_data import to_plain
from arena.rules.game import Game, Seat


class Phrasing(Protocol):
    """Phrases one game. All arguments are values of that game."""

    def describe_options(self, kind: str, options: Any) -> str:
        """Describe what a question of this kind offers, e.g. `1 to 4 cards as Q, K or A`."""

    def describe_action(self, action: Any) -> str:
        """Describe what a seat does, as a predicate: `calls`."""

    def snapshot_rows(self, seen: Any, viewer: Seat) -> Sequence[tuple[str, str]]:
        """Return what a seat sees as rows of label and text."""

    def describe_part(self, part: Any) -> str:
        """Describe what one seat learns from a public or private part of an event."""

    def describe_reason(self, code: str) -> str | None:
        """Return why the rules refuse an answer; None for a code that is not theirs."""


class PlainPhrasing:
    """Phrases a game by names and values; the pack of a new game can use it until it has a phrasing of its own."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def describe_options(self, kind: str, options: Any) -> str:
        """Return the kind of question and its options."""
        return f"{kind} {to_plain(options)}"

    def describe_action(self, action: Any) -> str:
        """Return the action's own text."""
        return f"answers {self._game.write_action(action)}"

    def snapshot_rows(self, seen: Any, viewer: Seat) -> Sequence[tuple[str, str]]:  # noqa: ARG002  `seen` is already the viewer's
        """Return one row per field."""
        values = to_plain(seen)
        fields = values.items() if isinstance(values, dict) else [("sees", values)]
        return [(str(name), str(value)) for name, value in fields]

    def describe_part(self, part: Any) -> str:
        """Return the part's type and its fields."""
        return f"{type(part).__name__} {to_plain(part)}"

    def describe_reason(self, code: str) -> str | None:  # noqa: ARG002  no codes are known
        """Return None, as no codes are known here."""
        return None
