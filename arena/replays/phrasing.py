"""A game in words, as far as `Game.tell` does not say it: what one seat sees, may do, does and learns."""

from collections.abc import Sequence
from typing import Any, Protocol

from arena.plain_data import to_plain
from arena.rules.game import Game, Seat


class Phrasing(Protocol):
    """The words of one game. Everything it is given is the game's own value."""

    def describe_options(self, kind: str, options: Any) -> str:
        """What a question of this kind offers, e.g. `1 to 4 cards as Q, K or A`."""

    def describe_action(self, action: Any) -> str:
        """What a seat does, as a verb: `calls`."""

    def snapshot_rows(self, seen: Any, viewer: Seat) -> Sequence[tuple[str, str]]:
        """What a seat sees, line by line: a word and the text that belongs to it."""

    def describe_part(self, part: Any) -> str:
        """What one seat learns from a public or private part of an event."""

    def describe_reason(self, code: str) -> str | None:
        """Why the rules refuse an answer; None for a code that is not theirs."""


class PlainPhrasing:
    """Names and values: what the pack of a new game may begin with, before it has words of its own."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def describe_options(self, kind: str, options: Any) -> str:
        """Name the question and give its options."""
        return f"{kind} {to_plain(options)}"

    def describe_action(self, action: Any) -> str:
        """Give the action's own text."""
        return f"answers {self._game.write_action(action)}"

    def snapshot_rows(self, seen: Any, viewer: Seat) -> Sequence[tuple[str, str]]:  # noqa: ARG002  it is the viewer's already
        """Give each field."""
        values = to_plain(seen)
        fields = values.items() if isinstance(values, dict) else [("sees", values)]
        return [(str(name), str(value)) for name, value in fields]

    def describe_part(self, part: Any) -> str:
        """Name the part and give its fields."""
        return f"{type(part).__name__} {to_plain(part)}"

    def describe_reason(self, code: str) -> str | None:  # noqa: ARG002  it knows none
        """There are no words for codes."""
        return None
